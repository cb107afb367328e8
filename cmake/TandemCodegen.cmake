# tandem_tablegen(TARGET FILE.td "OUTPUT ARG..." ...)
#
# Runs mlir-tblgen on FILE.td once per quoted output, into the current binary
# directory, which mirrors include/:
#   tandem_tablegen(TandemOpsIncGen TandemOps.td
#                   "TandemOps.h.inc -gen-op-decls"
#                   "TandemOps.cpp.inc -gen-op-defs")
function(tandem_tablegen target td)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${td})
  set(includes)
  foreach(dir ${PROJECT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR}
              ${MLIR_INCLUDE_DIRS})
    list(APPEND includes -I ${dir})
  endforeach()
  set(outputs)
  foreach(entry ${ARGN})
    separate_arguments(words UNIX_COMMAND "${entry}")
    list(POP_FRONT words output)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${output})
    list(APPEND outputs ${output})
    add_custom_command(OUTPUT ${output}
      COMMAND ${TANDEM_MLIR_TBLGEN} ${words} ${includes} ${source}
              --write-if-changed -o ${output} -d ${output}.d
      DEPENDS ${source} ${TANDEM_MLIR_TBLGEN}
      DEPFILE ${output}.d
      COMMENT "Generating ${entry}" VERBATIM)
  endforeach()
  add_custom_target(${target} DEPENDS ${outputs})
  add_dependencies(tandem-headers ${target})
endfunction()

# tandem_flatbuffers(TARGET PREFIX FILE.fbs...)
#
# Generates PREFIX/FILE_generated.h, included by that name:
#   tandem_flatbuffers(TandemOpSchema tandem/Support Op.fbs)
# A schema may say `include "Op.fbs"` wherever it lives.
function(tandem_flatbuffers target prefix)
  set(outdir ${PROJECT_BINARY_DIR}/include/${prefix})
  set(op_schema ${PROJECT_SOURCE_DIR}/include/tandem/Support/Op.fbs)
  set(outputs)
  foreach(schema ${ARGN})
    cmake_path(ABSOLUTE_PATH schema BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(GET schema STEM stem)
    set(output ${outdir}/${stem}_generated.h)
    list(APPEND outputs ${output})
    add_custom_command(OUTPUT ${output}
      COMMAND ${TANDEM_FLATC} --cpp --cpp-std c++17 --scoped-enums
              --gen-object-api --gen-compare
              -I ${PROJECT_SOURCE_DIR}/include/tandem/Support
              -I ${PROJECT_SOURCE_DIR}/include
              --include-prefix tandem/Support
              -o ${outdir} ${schema}
      DEPENDS ${schema} ${op_schema}
      COMMENT "Generating ${prefix}/${stem}_generated.h" VERBATIM)
  endforeach()
  add_custom_target(${target} DEPENDS ${outputs})
  add_dependencies(tandem-headers ${target})
endfunction()
