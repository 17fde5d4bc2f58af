# Copies of the controller's modules with faults and with clocks of parts. Configuration makes them, because verilate()
# needs its sources then. The build makes them again before it verilates them: it verilates before it configures
# anew, and would mix edited modules with copies of older ones.
#
# Run as a script in the folder of the copies, with DCCVP_RTL_DIR, this file makes all copies.
include(${CMAKE_CURRENT_LIST_DIR}/../verilated/controller/controller_faults.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/../verilated/controller/controller_clocks.cmake)

# dcc_controller_copies(SOURCES…): the rule of the build for the copies that are there. SOURCES: modules with their paths.
function(dcc_controller_copies)
  file(GLOB copies ${CMAKE_CURRENT_BINARY_DIR}/faulty/*.sv ${CMAKE_CURRENT_BINARY_DIR}/clocks/*.sv)
  set(originals "")
  foreach(copy ${copies})
    get_filename_component(name ${copy} NAME)
    set(of ${ARGN})
    list(FILTER of INCLUDE REGEX "/${name}$")
    list(APPEND originals ${of})
  endforeach()
  set(folder ${DCCVP_RTL_DIR}/verilated/controller)
  add_custom_command(OUTPUT ${copies}
    COMMAND ${CMAKE_COMMAND} -DDCCVP_RTL_DIR=${DCCVP_RTL_DIR} -P ${DCCVP_RTL_DIR}/controller/copies.cmake
    DEPENDS ${originals} ${DCCVP_RTL_DIR}/controller/copies.cmake ${folder}/controller_faults.cmake
            ${folder}/controller_clocks.cmake ${folder}/controller_fold.cmake
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    COMMENT "Copying modules of the controller with faults and clocks" VERBATIM)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  dcc_controller_faults(unused)
  dcc_controller_clocks(unused)
  file(GLOB copies faulty/*.sv clocks/*.sv)
  file(TOUCH ${copies})
endif()
