# tandem_add_library(NAME file... [LINK lib...] [DEPENDS target...] [MLIR])
# tandem_add_tool(NAME file... [LINK lib...] [DEPENDS target...] [MLIR])
# tandem_add_unittest(NAME file... [LINK lib...] [DEPENDS target...] [MLIR])
#
# MLIR: compiled with LLVM's and MLIR's headers and without exceptions. Without
# it a target cannot see them; the runtime stays free of LLVM that way.

# Every generated header; sources are compiled after it.
add_custom_target(tandem-headers)

function(tandem_add_subdirectories)
  foreach(dir ${ARGN})
    if(EXISTS ${PROJECT_SOURCE_DIR}/${dir}/CMakeLists.txt)
      add_subdirectory(${dir})
    endif()
  endforeach()
endfunction()

# Headers most MLIR sources include. System headers only: an edit of ours must
# not rebuild the world.
set(TANDEM_MLIR_PCH
    <mlir/Dialect/Arith/IR/Arith.h>
    <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/Dialect/Linalg/IR/Linalg.h>
    <mlir/Dialect/Tensor/IR/Tensor.h>
    <mlir/IR/BuiltinOps.h>
    <mlir/IR/PatternMatch.h>
    <mlir/Pass/Pass.h>
    <mlir/Transforms/DialectConversion.h>)

file(TOUCH ${PROJECT_BINARY_DIR}/pch.cpp)
add_library(tandem-mlir-pch OBJECT ${PROJECT_BINARY_DIR}/pch.cpp)
target_link_libraries(tandem-mlir-pch PUBLIC tandem_mlir)
target_compile_options(tandem-mlir-pch PRIVATE -fno-exceptions)
target_precompile_headers(tandem-mlir-pch PRIVATE ${TANDEM_MLIR_PCH})

function(tandem_configure_target name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK;DEPENDS" ${ARGN})
  foreach(lib ${ARG_LINK})
    if(lib MATCHES "^Tandem")
      target_link_libraries(${name} PUBLIC $<TARGET_NAME_IF_EXISTS:${lib}>)
    else()
      target_link_libraries(${name} PUBLIC ${lib})
    endif()
  endforeach()
  add_dependencies(${name} tandem-headers ${ARG_DEPENDS})
  if(ARG_MLIR)
    target_link_libraries(${name} PUBLIC tandem_mlir)
    target_compile_options(${name} PRIVATE -fno-exceptions)
    target_precompile_headers(${name} REUSE_FROM tandem-mlir-pch)
  endif()
endfunction()

function(tandem_add_library name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  tandem_configure_target(${name} ${ARGN})
endfunction()

function(tandem_add_tool name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  tandem_configure_target(${name} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY TANDEM_TOOLS ${name})
endfunction()

# A GoogleTest binary, run as one ctest test with the label `unit`.
function(tandem_add_unittest name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK;DEPENDS" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_UNPARSED_ARGUMENTS})
  tandem_configure_target(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/Unit)
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1
    --gtest_output=json:${PROJECT_BINARY_DIR}/test/Unit/${name}.json)
  set_tests_properties(${name} PROPERTIES LABELS unit)
  set_property(GLOBAL APPEND PROPERTY TANDEM_UNITTESTS ${name})
endfunction()
