# Flags of every target of the project.
add_compile_options(-Wall -Wextra -Wno-unused-parameter
                    -Wno-missing-field-initializers)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>)
# One choice for libraries and tools, so that they share a precompiled header.
add_compile_options(-fPIC)
add_compile_options(-ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections)

if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # No absolute path of the checkout in an object (ccache, reproducibility).
  add_compile_options(-fdebug-compilation-dir=.)
  add_compile_options(-fcolor-diagnostics)
endif()

if(TANDEM_SANITIZE)
  add_compile_options(-fsanitize=${TANDEM_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${TANDEM_SANITIZE})
  if(TANDEM_SANITIZE MATCHES undefined)
    # LLVM and MLIR are not built with the sanitizer's type information.
    add_compile_options(-fno-sanitize=vptr)
    add_link_options(-fno-sanitize=vptr)
  endif()
endif()
