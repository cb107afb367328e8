# Flags of every target of the project.
add_compile_options(-Wall -Wextra -Wno-unused-parameter
                    -Wno-missing-field-initializers)
# What a switch over an enum forgets has to be named: an op (OpTable.h), say.
add_compile_options(-Werror=switch)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>)
# One choice for libraries and tools, so that they share a precompiled header.
add_compile_options(-fPIC)
add_compile_options(-ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections)

if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # No absolute path of the checkout in an object (ccache, reproducibility).
  add_compile_options(-fdebug-compilation-dir=.)
  add_compile_options(-fcolor-diagnostics)
  # libstdc++ 12 itself calls std::get_temporary_buffer, which it deprecates.
  add_compile_options(
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
endif()

if(TANDEM_STATIC_LLVM)
  # Lean: fold equal functions, drop debug sections; lld only.
  add_link_options(-Wl,--icf=all -Wl,-s)
endif()

if(TANDEM_SANITIZE)
  add_compile_options(-fsanitize=${TANDEM_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${TANDEM_SANITIZE})
  if(TANDEM_SANITIZE MATCHES undefined)
    # vptr: LLVM and MLIR are not built with the sanitizer's type information.
    # function: nor is code from the JIT, before which it would read.
    add_compile_options(-fno-sanitize=vptr,function)
    add_link_options(-fno-sanitize=vptr,function)
  endif()
endif()

# All of it, as the flag must be that of the precompiled headers.
if(TANDEM_FUZZ_IMPORT)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# How tests run under the sanitizers. LLVM is not instrumented: containers that
# it fills and we read carry no annotations, and arenas that our copy of its
# allocator poisons it fills without telling.
set(TANDEM_SANITIZER_ENVIRONMENT
    ASAN_OPTIONS=detect_container_overflow=0:allow_user_poisoning=0:use_sigaltstack=0
    LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/utils/sanitizers/lsan.supp:print_suppressions=0
    UBSAN_OPTIONS=print_stacktrace=1)
find_program(TANDEM_SYMBOLIZER NAMES llvm-symbolizer-22 llvm-symbolizer)
if(TANDEM_SYMBOLIZER)
  list(APPEND TANDEM_SANITIZER_ENVIRONMENT
       ASAN_SYMBOLIZER_PATH=${TANDEM_SYMBOLIZER}
       UBSAN_SYMBOLIZER_PATH=${TANDEM_SYMBOLIZER})
endif()
