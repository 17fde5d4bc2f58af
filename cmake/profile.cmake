# Compiling by what the program does, for `make fast`: DCCVP_PROFILE=generate makes a program that
# counts how often it goes which way, =use compiles by those counts and across files. Only the parts
# that work for every packet are compiled so; the counts lie beside their object files, so both steps
# must use the same build folder. What is computed stays the same to the bit.
set(DCCVP_PROFILE "" CACHE STRING "compile by a profile: generate, then use (make fast)")
set_property(CACHE DCCVP_PROFILE PROPERTY STRINGS "" generate use)
if(DCCVP_PROFILE AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  message(FATAL_ERROR "DCCVP_PROFILE is for GCC; ${CMAKE_CXX_COMPILER_ID} is not")
endif()

function(dccvp_compile_by_profile target)
  if(DCCVP_PROFILE STREQUAL "generate")
    # Two threads count.
    target_compile_options(${target} PRIVATE -fprofile-generate -fprofile-update=atomic)
    target_link_options(${target} INTERFACE -fprofile-generate)
  elseif(DCCVP_PROFILE STREQUAL "use")
    # Partial training: what the training runs never reached is compiled as without a profile.
    target_compile_options(${target} PRIVATE
      -fprofile-use -fprofile-partial-training -Wno-missing-profile)
    set_property(TARGET ${target} PROPERTY INTERPROCEDURAL_OPTIMIZATION ON)
  else()
    return()
  endif()
  # A compiler cache would have to know the counts.
  set_property(TARGET ${target} PROPERTY CXX_COMPILER_LAUNCHER "")
endfunction()
