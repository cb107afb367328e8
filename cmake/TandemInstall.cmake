# What `cmake --install` installs: tools, and for those who embed Tandem headers
# and two libraries, each shared and static:
#   Tandem::Tandem   runtime and compiler, with the C API
#   Tandem::Runtime  what runs Programs, without LLVM
# docs/Embedding.md tells how they are used.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# The public API: all that is installed, and the only symbols that the shared
# libraries export. What these headers include must be among them.
set(TANDEM_PUBLIC_HEADERS
  include/tandem-c/CustomCalls.h
  include/tandem-c/Tandem.h
  include/tandem/Coverage.h
  include/tandem/GraphBuilder.h
  include/tandem/Support/Choices.h
  include/tandem/Support/DTypes.def
  include/tandem/Support/Error.h
  include/tandem/Support/OpKinds.h
  include/tandem/Support/OpTable.h
  include/tandem/Support/Ops.def
  include/tandem/Support/ShapeRules.h
  include/tandem/Support/TargetOptions.h
  include/tandem/Support/TensorType.h
  include/tandem/Tandem.h
  include/tandem/Target/CPU/CPUOptions.h
  include/tandem/Target/CPU/FormerCompileOptions.inc
  include/tandem/Training.h
  runtime/include/tandem/Runtime/Compare.h
  runtime/include/tandem/Runtime/Compiler.h
  runtime/include/tandem/Runtime/CustomCall.h
  runtime/include/tandem/Runtime/DLPack.h
  runtime/include/tandem/Runtime/Device.h
  runtime/include/tandem/Runtime/Executor.h
  runtime/include/tandem/Runtime/Function.h
  runtime/include/tandem/Runtime/KernelReport.h
  runtime/include/tandem/Runtime/Npy.h
  runtime/include/tandem/Runtime/Profile.h
  runtime/include/tandem/Runtime/Program.h
  runtime/include/tandem/Runtime/Provider.h
  runtime/include/tandem/Runtime/Safetensors.h
  runtime/include/tandem/Runtime/StridedTensor.h
  runtime/include/tandem/Runtime/Tensor.h
  runtime/include/tandem/Runtime/Tier.h
  runtime/include/tandem/Runtime/Tiering.h
  runtime/include/tandem/Runtime/TimeSummary.h)
list(TRANSFORM TANDEM_PUBLIC_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/)
set(generated_headers
  ${PROJECT_BINARY_DIR}/include/tandem/Runtime/Program_generated.h
  ${PROJECT_BINARY_DIR}/include/tandem/Support/Op_generated.h)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tandem)

#===-- Headers ------------------------------------------------------------===#

add_library(TandemHeaders INTERFACE)
set_target_properties(TandemHeaders PROPERTIES EXPORT_NAME Headers)
target_compile_features(TandemHeaders INTERFACE cxx_std_20)
target_link_libraries(TandemHeaders INTERFACE flatbuffers::flatbuffers
                      tl::expected)
target_sources(TandemHeaders INTERFACE FILE_SET HEADERS
  BASE_DIRS ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/runtime/include
            ${PROJECT_BINARY_DIR}/include
  FILES ${TANDEM_PUBLIC_HEADERS} ${generated_headers})
install(TARGETS TandemHeaders EXPORT TandemHeaders
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT TandemHeaders NAMESPACE Tandem:: DESTINATION ${package_dir}
        FILE TandemHeaders.cmake)

#===-- Libraries ----------------------------------------------------------===#

# tandem_collect(TARGET): adds the project's libraries that TARGET consists of
# to `parts`, and the libraries of others to `others`.
macro(tandem_collect target)
  if("${target}" MATCHES "^Tandem[A-Za-z]*$" AND TARGET ${target})
    if(NOT ${target} IN_LIST parts)
      list(APPEND parts ${target})
      get_target_property(links_of_${target} ${target} INTERFACE_LINK_LIBRARIES)
      foreach(link ${links_of_${target}})
        tandem_collect(${link})
      endforeach()
    endif()
  elseif(NOT "${target}" MATCHES "NOTFOUND$" AND NOT "${target}" IN_LIST others)
    list(APPEND others "${target}")
  endif()
endmacro()

# tandem_add_package_library(NAME EXPORT_NAME PART...): libraries lib<NAME>, shared and
# static, of the objects of the PARTs and all that they link, and so compiled
# once for all. Both are exported as Tandem::<EXPORT_NAME>.
function(tandem_add_package_library name export_name)
  set(parts)
  set(others)
  foreach(part ${ARGN})
    tandem_collect(${part})
  endforeach()
  set(objects)
  foreach(part ${parts})
    get_target_property(type ${part} TYPE)
    if(type STREQUAL STATIC_LIBRARY)
      list(APPEND objects $<TARGET_OBJECTS:${part}>)
      get_target_property(more ${part} TANDEM_OBJECT_LIBRARIES)
      if(more)
        list(TRANSFORM more REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
        list(APPEND objects ${more})
      endif()
    endif()
  endforeach()

  add_library(${name}-static STATIC ${objects})
  add_library(${name}-shared SHARED ${objects})
  foreach(kind static shared)
    set(target ${name}-${kind})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX
      OUTPUT_NAME ${name} EXPORT_NAME ${export_name})
    target_link_libraries(${target} INTERFACE TandemHeaders)
    # Both in one program would be two runtimes.
    set_target_properties(${target} PROPERTIES
      INTERFACE_TANDEM_LIBRARY ${export_name})
    set_property(TARGET ${target} APPEND PROPERTY
      COMPATIBLE_INTERFACE_STRING TANDEM_LIBRARY)
    install(TARGETS ${target} EXPORT Tandem-${kind})
    set_property(GLOBAL APPEND PROPERTY TANDEM_PACKAGE_LIBRARIES ${target})
  endforeach()

  # The API may change with each minor version before 1.0.
  set(symbols ${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
  add_custom_command(OUTPUT ${symbols}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/utils/public-symbols.py
            ${name}_${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
            ${TANDEM_PUBLIC_HEADERS} > ${symbols}
    DEPENDS ${PROJECT_SOURCE_DIR}/utils/public-symbols.py
            ${TANDEM_PUBLIC_HEADERS}
    COMMENT "Listing the symbols that lib${name} exports" VERBATIM)
  add_custom_target(${name}-symbols DEPENDS ${symbols})
  add_dependencies(${name}-shared ${name}-symbols)
  target_link_libraries(${name}-shared PRIVATE ${others})
  target_link_options(${name}-shared PRIVATE
    -Wl,--version-script=${symbols} -Wl,-Bsymbolic-functions)
  set_target_properties(${name}-shared PROPERTIES
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
    LINK_DEPENDS ${symbols}
    INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()

tandem_add_package_library(TandemRuntime Runtime TandemRuntime)
tandem_add_package_library(Tandem Tandem Tandem TandemCAPI)

foreach(kind static shared)
  install(EXPORT Tandem-${kind} NAMESPACE Tandem:: DESTINATION ${package_dir})
endforeach()

#===-- Package ------------------------------------------------------------===#

configure_package_config_file(cmake/TandemConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/TandemConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/TandemConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/TandemConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/TandemConfigVersion.cmake
        DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

#===-- Tools --------------------------------------------------------------===#

get_property(tools GLOBAL PROPERTY TANDEM_TOOLS)
list(FILTER tools INCLUDE REGEX "^tandem-")
# Embedded in HTML reports.
install(FILES ${PROJECT_BINARY_DIR}/share/tandem/plotly.min.js
        DESTINATION ${CMAKE_INSTALL_DATADIR}/tandem OPTIONAL)
# What tandem-run --check=onnxruntime starts.
install(PROGRAMS utils/measure/onnxruntime-values.py
        DESTINATION ${CMAKE_INSTALL_DATADIR}/tandem)
foreach(tool ${tools})
  get_target_property(source_dir ${tool} SOURCE_DIR)
  if(source_dir MATCHES "^${PROJECT_SOURCE_DIR}/tools/")
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    install(TARGETS ${tool})
  endif()
endforeach()
