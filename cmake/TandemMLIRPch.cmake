# One precompiled header for all MLIR libraries, of headers most of them include.
# System headers only: an edit of ours must not rebuild the world.
#
# It does not go through target_precompile_headers: Clang writes the absolute
# path of the header it compiles into the result, which then could not be shared
# between checkouts through ccache. Here that header is one of MLIR's own, and
# the others come in by -include, so that the result is the same everywhere.
set(tandem_pch_main mlir/Transforms/DialectConversion.h)
set(tandem_pch_includes
    mlir/Dialect/Arith/IR/Arith.h
    mlir/Dialect/Func/IR/FuncOps.h
    mlir/Dialect/Linalg/IR/Linalg.h
    mlir/Dialect/Tensor/IR/Tensor.h
    mlir/IR/BuiltinOps.h
    mlir/IR/PatternMatch.h
    mlir/Pass/Pass.h)

function(tandem_add_mlir_pch)
  find_file(TANDEM_PCH_MAIN ${tandem_pch_main} REQUIRED NO_DEFAULT_PATH
            PATHS ${MLIR_INCLUDE_DIRS})
  set_source_files_properties(${TANDEM_PCH_MAIN} PROPERTIES LANGUAGE CXX)
  add_library(tandem-mlir-pch OBJECT ${TANDEM_PCH_MAIN})
  target_link_libraries(tandem-mlir-pch PUBLIC tandem_mlir)
  # Without time stamps, or a copy from the cache would be refused.
  target_compile_options(tandem-mlir-pch PRIVATE -fno-exceptions
    -fpch-instantiate-templates "SHELL:-Xclang -fno-pch-timestamp")
  foreach(header ${tandem_pch_includes})
    target_compile_options(tandem-mlir-pch PRIVATE "SHELL:-include ${header}")
  endforeach()
  target_compile_options(tandem-mlir-pch PRIVATE "SHELL:-x c++-header")
endfunction()

function(tandem_use_mlir_pch name)
  if(NOT TARGET tandem-mlir-pch)
    return()
  endif()
  cmake_path(RELATIVE_PATH TANDEM_PCH_MAIN BASE_DIRECTORY / OUTPUT_VARIABLE tail)
  set(pch ${PROJECT_BINARY_DIR}/CMakeFiles/tandem-mlir-pch.dir/${tail}.o)
  target_compile_options(${name} PRIVATE -include-pch ${pch}
                         "SHELL:-Xclang -fno-pch-timestamp")
  get_target_property(sources ${name} SOURCES)
  set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${pch})
endfunction()

if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  tandem_add_mlir_pch()
endif()
