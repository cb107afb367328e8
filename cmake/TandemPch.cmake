# Two precompiled headers, of headers that many sources include: one for what is
# compiled with MLIR's headers, one for the rest. System headers only: an edit of
# ours must not rebuild the world. GoogleTest is in both, so that tests need none
# of their own.
#
# They do not go through target_precompile_headers: Clang writes the absolute
# path of the header it compiles into the result, which then could not be shared
# between checkouts through ccache. Here that header is one of the system, and
# the others come in by -include, so that the result is the same everywhere.
set(tandem_pch_includes
    flatbuffers/flatbuffers.h
    gmock/gmock.h
    gtest/gtest.h
    tl/expected.hpp)
set(tandem_mlir_pch_includes
    mlir/Dialect/Affine/IR/AffineOps.h
    mlir/Dialect/Arith/IR/Arith.h
    mlir/Dialect/EmitC/IR/EmitC.h
    mlir/Dialect/Func/IR/FuncOps.h
    mlir/Dialect/GPU/IR/GPUDialect.h
    mlir/Dialect/LLVMIR/LLVMDialect.h
    mlir/Dialect/Linalg/IR/Linalg.h
    mlir/Dialect/Math/IR/Math.h
    mlir/Dialect/MemRef/IR/MemRef.h
    mlir/Dialect/SCF/IR/SCF.h
    mlir/Dialect/Tensor/IR/Tensor.h
    mlir/Dialect/Vector/IR/VectorOps.h
    mlir/IR/BuiltinOps.h
    mlir/IR/Matchers.h
    mlir/IR/PatternMatch.h
    mlir/Parser/Parser.h
    mlir/Pass/PassManager.h
    ${tandem_pch_includes})
set(tandem_plain_pch_includes
    algorithm
    atomic
    chrono
    cmath
    filesystem
    fstream
    functional
    memory
    nlohmann/json.hpp
    optional
    random
    span
    sstream
    string
    thread
    vector
    ${tandem_pch_includes})

# tandem_add_pch(NAME HEADER include...): precompiles HEADER, an absolute path,
# with the includes before it.
function(tandem_add_pch name header)
  set_source_files_properties(${header} PROPERTIES LANGUAGE CXX)
  add_library(${name} OBJECT ${header})
  # Without time stamps, or a copy from the cache would be refused.
  target_compile_options(${name} PRIVATE
    -fpch-instantiate-templates "SHELL:-Xclang -fno-pch-timestamp")
  foreach(include ${ARGN})
    target_compile_options(${name} PRIVATE "SHELL:-include ${include}")
  endforeach()
  target_compile_options(${name} PRIVATE "SHELL:-x c++-header")
  cmake_path(RELATIVE_PATH header BASE_DIRECTORY / OUTPUT_VARIABLE tail)
  set_target_properties(${name} PROPERTIES
    TANDEM_PCH ${PROJECT_BINARY_DIR}/CMakeFiles/${name}.dir/${tail}.o)
endfunction()

# tandem_use_pch(TARGET PCH): unless TANDEM_PCH is off in this directory.
set(TANDEM_PCH ON)
function(tandem_use_pch name from)
  if(NOT TANDEM_PCH OR NOT TARGET ${from})
    return()
  endif()
  get_target_property(pch ${from} TANDEM_PCH)
  target_compile_options(${name} PRIVATE -include-pch ${pch}
                         "SHELL:-Xclang -fno-pch-timestamp")
  get_target_property(sources ${name} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${pch})
endfunction()

if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  find_file(TANDEM_MLIR_PCH_HEADER mlir/Transforms/DialectConversion.h REQUIRED
            NO_DEFAULT_PATH PATHS ${MLIR_INCLUDE_DIRS})
  tandem_add_pch(tandem-mlir-pch ${TANDEM_MLIR_PCH_HEADER}
                 ${tandem_mlir_pch_includes})
  target_compile_options(tandem-mlir-pch PRIVATE -fno-exceptions)
  target_link_libraries(tandem-mlir-pch PUBLIC tandem_mlir
    flatbuffers::flatbuffers GTest::gmock tl::expected)

  find_file(TANDEM_PLAIN_PCH_HEADER gmock/gmock.h REQUIRED)
  tandem_add_pch(tandem-plain-pch ${TANDEM_PLAIN_PCH_HEADER}
                 ${tandem_plain_pch_includes})
  target_link_libraries(tandem-plain-pch PUBLIC
    flatbuffers::flatbuffers GTest::gmock nlohmann_json::nlohmann_json
    tl::expected)
endif()
