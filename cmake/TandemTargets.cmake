# tandem_add_library(NAME file... [LINK lib...] [DEPENDS target...] [MLIR])
# tandem_add_tool(NAME file... [LINK lib...] [DEPENDS target...] [MLIR])
# tandem_add_unittest(NAME file... [LINK lib...] [DEPENDS target...] [MLIR]
#                     [SHARDS n])
#
# MLIR: compiled with LLVM's and MLIR's headers and without exceptions. Without
# it a target cannot see them; the runtime stays free of LLVM that way.

# Every generated header; sources are compiled after it.
add_custom_target(tandem-headers)

include(TandemPch)
include(TandemUnity)

function(tandem_configure_target name)
  cmake_parse_arguments(ARG "MLIR" "SHARDS" "LINK;DEPENDS" ${ARGN})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  add_dependencies(${name} tandem-headers ${ARG_DEPENDS})
  if(ARG_MLIR)
    target_link_libraries(${name} PUBLIC tandem_mlir)
    target_compile_options(${name} PRIVATE -fno-exceptions)
    tandem_use_pch(${name} tandem-mlir-pch)
  else()
    tandem_use_pch(${name} tandem-plain-pch)
  endif()
endfunction()

function(tandem_add_library name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK;DEPENDS" ${ARGN})
  tandem_unity(sources ${name} ${ARG_UNPARSED_ARGUMENTS})
  add_library(${name} STATIC ${sources})
  tandem_configure_target(${name} ${ARGN})
  # Threads may compile and run while the process ends: what has static storage
  # is not destroyed. Write `static auto &x = *new X`. What is thread_local
  # ends with its thread: its file is compiled with tandem_has_thread_locals.
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_compile_options(${name} PRIVATE -Werror=exit-time-destructors)
  endif()
endfunction()

# To be called before the library is added.
function(tandem_has_thread_locals)
  set_source_files_properties(${ARGN} PROPERTIES TANDEM_NO_UNITY ON)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    set_source_files_properties(${ARGN} PROPERTIES
                                COMPILE_OPTIONS -Wno-exit-time-destructors)
  endif()
endfunction()

function(tandem_add_tool name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK;DEPENDS" ${ARGN})
  tandem_unity(sources ${name} ${ARG_UNPARSED_ARGUMENTS})
  add_executable(${name} ${sources})
  tandem_configure_target(${name} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY TANDEM_TOOLS ${name})
endfunction()

# A GoogleTest binary, run as one entry of ctest with the label `unit`, or as
# SHARDS of them, so that cores share a long one.
function(tandem_add_unittest name)
  cmake_parse_arguments(ARG "MLIR" "SHARDS" "LINK;DEPENDS" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_UNPARSED_ARGUMENTS})
  tandem_configure_target(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/Unit)
  set_property(GLOBAL APPEND PROPERTY TANDEM_UNITTESTS ${name})
  tandem_add_unittest_run(${name} ${name} SHARDS ${ARG_SHARDS})
endfunction()

# tandem_add_unittest_run(NAME EXECUTABLE [SHARDS n] [ARGS arg...]
#                         [ENVIRONMENT x=y...])
#
# An entry of ctest, or SHARDS of them named NAME.0 and so on, which leave their
# results where utils/summarize-tests.py expects those of every entry.
function(tandem_add_unittest_run name executable)
  cmake_parse_arguments(ARG "" "SHARDS" "ARGS;ENVIRONMENT" ${ARGN})
  if(NOT ARG_SHARDS)
    tandem_add_unittest_entry(${name} ${executable} "${ARG_ARGS}"
      "${ARG_ENVIRONMENT}")
    return()
  endif()
  math(EXPR last "${ARG_SHARDS} - 1")
  foreach(shard RANGE ${last})
    tandem_add_unittest_entry(${name}.${shard} ${executable} "${ARG_ARGS}"
      "${ARG_ENVIRONMENT};GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${shard}")
    # What is long starts first.
    set_tests_properties(${name}.${shard} PROPERTIES COST 1)
  endforeach()
endfunction()

function(tandem_add_unittest_entry name executable args environment)
  add_test(NAME ${name} COMMAND ${executable} --gtest_brief=1
    --gtest_output=json:${PROJECT_BINARY_DIR}/test/results/unit/${name}.json
    ${args})
  # What is chosen is the same on every machine.
  list(APPEND environment "TANDEM_DEVICE=generic"
    "CUDAToolkit_ROOT=${TANDEM_CUDA_ROOT}"
    "TANDEM_CACHE_DIR=${PROJECT_BINARY_DIR}/test/cache"
    "TANDEM_DISK_CACHE=off" # Compiling is what is tested.
    "FAKE_CUDA_CACHE=${PROJECT_BINARY_DIR}/test/fake-cuda-cache"
    "TANDEM_FRAME_LOG=${PROJECT_BINARY_DIR}/test/results/frames.txt"
    ${TANDEM_SANITIZER_ENVIRONMENT})
  set_tests_properties(${name} PROPERTIES LABELS unit
    ENVIRONMENT "${environment}")
  set_property(GLOBAL APPEND PROPERTY TANDEM_UNITTEST_RUNS ${name})
endfunction()
