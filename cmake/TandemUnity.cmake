# Compiles several sources of a folder as one. Most of the time of a source goes
# into parsing the headers of the dialect and of MLIR: nine sources of the ONNX
# importer take 40 s of processor time one by one, and 6.5 s as one.
#
# CMake's own UNITY_BUILD writes absolute paths into its files, so that ccache
# would not share them between checkouts.
option(TANDEM_UNITY "Compile several sources of a folder as one" ON)
set(TANDEM_UNITY_BATCH 8)

# tandem_unity(OUT TARGET file...): sets OUT to the files, with batches in place of
# sources. A source that has the property TANDEM_NO_UNITY is left alone.
function(tandem_unity out target)
  set(${out} ${ARGN} PARENT_SCOPE)
  if(NOT TANDEM_UNITY)
    return()
  endif()
  set(rest)
  set(folders)
  foreach(source ${ARGN})
    get_property(alone SOURCE ${source} PROPERTY TANDEM_NO_UNITY)
    if(NOT source MATCHES "\\.cpp$" OR IS_ABSOLUTE ${source} OR alone)
      list(APPEND rest ${source})
    else()
      cmake_path(GET source PARENT_PATH folder)
      string(MAKE_C_IDENTIFIER "in_${folder}" folder)
      list(APPEND folders ${folder})
      list(APPEND ${folder} ${source})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    tandem_unity_batches(batches ${target}.${folder} ${${folder}})
    list(APPEND rest ${batches})
  endforeach()
  include_directories(${PROJECT_SOURCE_DIR})
  set(${out} ${rest} PARENT_SCOPE)
endfunction()

# tandem_unity_batches(OUT NAME source...): writes a file for each batch of
# sources of about the same size.
function(tandem_unity_batches out name)
  list(LENGTH ARGN count)
  math(EXPR batches "(${count} + ${TANDEM_UNITY_BATCH} - 1) / ${TANDEM_UNITY_BATCH}")
  math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
  set(files)
  set(text)
  set(index 0)
  foreach(source ${ARGN})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(APPEND text "#include \"${source}\"\n#undef DEBUG_TYPE\n")
    math(EXPR index "${index} + 1")
    math(EXPR full "${index} % ${size}")
    if(full EQUAL 0 OR index EQUAL count)
      list(LENGTH files number)
      set(file ${CMAKE_CURRENT_BINARY_DIR}/unity/${name}.${number}.cpp)
      file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
      list(APPEND files ${file})
      set(text)
    endif()
  endforeach()
  set(${out} ${files} PARENT_SCOPE)
endfunction()
