# Compile through ccache so that any checkout of the same sources hits: paths
# below the source tree are hashed relative to it, and the working directory is
# left out of the hash (objects do not contain it, see TandemFlags.cmake).
find_program(TANDEM_CCACHE_PROGRAM ccache)
if(TANDEM_CCACHE AND TANDEM_CCACHE_PROGRAM)
  set(launcher ${CMAKE_COMMAND} -E env
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
      CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${TANDEM_CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()
