# Profile-guided compilation for `make fast`: DCCVP_PROFILE=generate builds a program that counts
# its branches; DCCVP_PROFILE=use optimises by these counts and across files. Only the code that
# runs for every packet is compiled with a profile. The counts lie beside the object files, so both
# steps must use the same build folder. Results of simulations stay the same to the bit.
set(DCCVP_PROFILE "" CACHE STRING "compile by a profile: generate, then use (make fast)")
set_property(CACHE DCCVP_PROFILE PROPERTY STRINGS "" generate use)
if(DCCVP_PROFILE AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  message(FATAL_ERROR "DCCVP_PROFILE is for GCC; ${CMAKE_CXX_COMPILER_ID} is not")
endif()

function(dccvp_compile_by_profile target)
  if(DCCVP_PROFILE STREQUAL "generate")
    # Two threads update the branch counters, so the updates must be atomic.
    target_compile_options(${target} PRIVATE -fprofile-generate -fprofile-update=atomic)
    target_link_options(${target} INTERFACE -fprofile-generate)
  elseif(DCCVP_PROFILE STREQUAL "use")
    # Partial training: code that the training runs never reached is compiled like code without a profile.
    target_compile_options(${target} PRIVATE
      -fprofile-use -fprofile-partial-training -Wno-missing-profile)
    set_property(TARGET ${target} PROPERTY INTERPROCEDURAL_OPTIMIZATION ON)
  else()
    return()
  endif()
  # A compiler cache does not include the profile's counts in its key, so no cache is used.
  set_property(TARGET ${target} PROPERTY CXX_COMPILER_LAUNCHER "")
endfunction()
