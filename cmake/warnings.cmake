# Warnings are errors in our own code; dcc_options carries them and the sanitizer and coverage flags.
add_library(dcc_options INTERFACE)
target_compile_options(dcc_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Werror
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wno-error=maybe-uninitialized>)
if(DCCVP_SANITIZE)
  target_compile_options(dcc_options INTERFACE -fsanitize=address,undefined
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(dcc_options INTERFACE -fsanitize=address,undefined)
endif()
if(DCCVP_COVERAGE)
  target_compile_options(dcc_options INTERFACE --coverage -O0 -g)
  target_link_options(dcc_options INTERFACE --coverage)
endif()
