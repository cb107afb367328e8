# Names what is needed first and is missing, with what to do. It is included before
# project(), which would fail with the name of a compiler alone. `pip install .`
# shows the message, too.
set(missing)
if(DEFINED CMAKE_CXX_COMPILER)
  cmake_path(GET CMAKE_CXX_COMPILER FILENAME name)
  find_program(TANDEM_CXX_COMPILER_FOUND ${CMAKE_CXX_COMPILER})
  mark_as_advanced(TANDEM_CXX_COMPILER_FOUND)
  if(NOT TANDEM_CXX_COMPILER_FOUND)
    list(APPEND missing "the C++ compiler ${name}")
  endif()
endif()
find_path(TANDEM_MLIR_CONFIG_FOUND MLIRConfig.cmake
          HINTS ${MLIR_DIR} $ENV{MLIR_DIR} /usr/lib/llvm-22/lib/cmake/mlir
          PATH_SUFFIXES lib/cmake/mlir)
mark_as_advanced(TANDEM_MLIR_CONFIG_FOUND)
if(NOT TANDEM_MLIR_CONFIG_FOUND)
  list(APPEND missing "LLVM/MLIR 22 (MLIRConfig.cmake)")
endif()
if(missing)
  list(JOIN missing " and " missing)
  message(FATAL_ERROR
    "Tandem cannot be built without ${missing}. On Debian, "
    "utils/setup.sh installs all that the build needs. With an LLVM/MLIR 22 of "
    "your own, set MLIR_DIR to its lib/cmake/mlir.")
endif()
