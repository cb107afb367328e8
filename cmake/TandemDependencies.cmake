# What the project is built on. The runtime's half comes first and does not
# know LLVM; `tandem_mlir` at the end is what an MLIR library links.

find_package(Threads REQUIRED)
find_package(TBB REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(FlatBuffers REQUIRED CONFIG)
find_program(TANDEM_FLATC flatc REQUIRED)
find_package(tl-expected REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_library(XXHASH_LIBRARY xxhash REQUIRED)
add_library(tandem_xxhash INTERFACE)
target_include_directories(tandem_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})
target_link_libraries(tandem_xxhash INTERFACE ${XXHASH_LIBRARY})

# Debian's package has a pkg-config file only.
find_path(SLEEF_INCLUDE_DIR sleef.h REQUIRED)
find_library(SLEEF_LIBRARY sleef REQUIRED)
add_library(tandem_sleef INTERFACE)
target_include_directories(tandem_sleef SYSTEM INTERFACE ${SLEEF_INCLUDE_DIR})
target_link_libraries(tandem_sleef INTERFACE ${SLEEF_LIBRARY})

# Debian's dnnl-config.cmake insists on OpenCL's headers, which the CPU does not
# need; hence the plain library.
find_path(DNNL_INCLUDE_DIR dnnl.hpp REQUIRED)
find_library(DNNL_LIBRARY dnnl REQUIRED)
add_library(tandem_dnnl INTERFACE)
target_include_directories(tandem_dnnl SYSTEM INTERFACE ${DNNL_INCLUDE_DIR})
target_link_libraries(tandem_dnnl INTERFACE ${DNNL_LIBRARY})

#===-- LLVM and MLIR ------------------------------------------------------===#

# An LLVM/MLIR 22 named by MLIR_DIR (variable or environment) is used as is.
find_package(MLIR 22.1 REQUIRED CONFIG
             HINTS $ENV{MLIR_DIR} /usr/lib/llvm-22/lib/cmake/mlir)
message(STATUS "MLIR ${MLIR_VERSION}: ${MLIR_DIR}")
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION}: ${LLVM_DIR}")
find_program(TANDEM_MLIR_TBLGEN mlir-tblgen REQUIRED
             HINTS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH)

separate_arguments(tandem_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")

add_library(tandem_mlir INTERFACE)
target_include_directories(tandem_mlir SYSTEM INTERFACE
                           ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_compile_options(tandem_mlir INTERFACE ${tandem_llvm_definitions})
if(NOT LLVM_ENABLE_RTTI)
  target_compile_options(tandem_mlir INTERFACE
                         $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
endif()
if(TANDEM_STATIC_LLVM)
  # LLVM's exported static targets pull in the shared libraries; hence the
  # archives themselves, in one group as their order is unknown. The linker
  # takes what is used.
  file(GLOB archives ${LLVM_LIBRARY_DIRS}/libMLIR*.a
       ${LLVM_LIBRARY_DIRS}/libLLVM*.a)
  list(FILTER archives EXCLUDE REGEX "CAPI|Test|MlirOptMain|BOLT|Exegesis")
  find_package(ZLIB REQUIRED)
  find_library(ZSTD_LIBRARY NAMES libzstd.a zstd REQUIRED)
  target_link_libraries(tandem_mlir INTERFACE
    -Wl,--start-group ${archives} -Wl,--end-group
    ${ZSTD_LIBRARY} ZLIB::ZLIB Threads::Threads)
else()
  target_link_libraries(tandem_mlir INTERFACE MLIR LLVM)
  # libMLIR is not where the loader looks; CMake adds the rpath.
endif()

#===-- Optional -----------------------------------------------------------===#

# CUDA is never needed to build; tests that need NVRTC or ptxas look here.
set(TANDEM_CUDA_ROOT "/usr/local/cuda" CACHE PATH "CUDA toolkit, if any")
foreach(root ${CUDAToolkit_ROOT} $ENV{CUDAToolkit_ROOT})
  set(TANDEM_CUDA_ROOT ${root})
  break()
endforeach()

# Embedded in HTML reports. utils/setup.sh fetches it; without it the tools
# build and run, and say so when asked for a report.
find_file(TANDEM_PLOTLY_JS plotly.min.js
          PATHS $ENV{XDG_CACHE_HOME}/tandem $ENV{HOME}/.cache/tandem
          NO_DEFAULT_PATH DOC "plotly.min.js, embedded in HTML reports")
if(TANDEM_PLOTLY_JS)
  configure_file(${TANDEM_PLOTLY_JS}
                 ${PROJECT_BINARY_DIR}/share/tandem/plotly.min.js COPYONLY)
endif()

# The schema of ONNX files. utils/setup.sh fetches it; without it, or without
# protobuf, everything else is built, and ONNX files are refused.
find_file(TANDEM_ONNX_PROTO onnx-ml.proto
          PATHS $ENV{XDG_CACHE_HOME}/tandem $ENV{HOME}/.cache/tandem
          NO_DEFAULT_PATH DOC "onnx-ml.proto, the schema of ONNX files")
find_package(Protobuf QUIET)
if(TANDEM_ONNX_PROTO AND Protobuf_FOUND)
  set(TANDEM_ONNX ON)
  configure_file(${TANDEM_ONNX_PROTO}
                 ${PROJECT_BINARY_DIR}/share/tandem/onnx-ml.proto COPYONLY)
else()
  set(TANDEM_ONNX OFF)
  message(STATUS "No protobuf or no onnx-ml.proto: no import of ONNX files")
endif()
