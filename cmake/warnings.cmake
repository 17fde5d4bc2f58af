# Compiler warnings are errors in the project's own code; the target dcc_options has the warning flags and the flags
# for sanitizers and coverage.
add_library(dcc_options INTERFACE)
target_compile_options(dcc_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Werror
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-error=maybe-uninitialized>)
if(DCCVP_SANITIZE)
  # Tests' own code (DCC_TEST_CODE) has no checks for undefined behaviour, which are half of the compiler's work on it.
  # The address sanitizer still finds its wrong accesses, and the code under test has both.
  target_compile_options(dcc_options INTERFACE
    -fsanitize=address$<$<NOT:$<BOOL:$<TARGET_PROPERTY:DCC_TEST_CODE>>>:,undefined>
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Omits four checks of the undefined-behaviour sanitizer that test the pointer of every access, which is two
  # thirds of the compiler's work. The address sanitizer finds null pointers and accesses beyond an object without
  # these checks.
  if(NOT DCCVP_SANITIZE_ACCESSES)
    target_compile_options(dcc_options INTERFACE -fno-sanitize=null,alignment,object-size,vptr)
  endif()
  target_link_options(dcc_options INTERFACE -fsanitize=address,undefined)
endif()
if(DCCVP_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "DCCVP_FUZZ needs clang (libFuzzer); see the preset 'sanitize'")
  endif()
  # Counters of edges for fuzzing are a third of the work of a compiler that does not optimise. Targets that guide
  # no fuzz target set DCC_UNGUIDED to omit these counters.
  target_compile_options(dcc_options INTERFACE
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:DCC_UNGUIDED>>>:-fsanitize=fuzzer-no-link>)
endif()
if(DCCVP_COVERAGE)
  target_compile_options(dcc_options INTERFACE --coverage -O0 -g)
  target_link_options(dcc_options INTERFACE --coverage)
endif()
