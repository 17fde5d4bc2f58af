# Copies of four files of the controller in which parts of the controller have clocks of their own, so that a
# simulation skips idle parts. The shipped RTL has one clock.
#
# dcc_controller_clocks(OUT SOURCES…): sets OUT to SOURCES with those files replaced by their copies;
# controller_rtl_dut.sv, compiled with DCC_CLOCKS, drives the clocks and reports which of them need an edge.
# DCC_CLOCKS_WHOLE: true if every instance was found.

# Connects instances in a file to the clock controller_rtl_dut.clk_NAME_i; each instance must occur in the file
# exactly once.
function(dcc_controller_clock text name)
  set(result "${${text}}")
  foreach(instance ${ARGN})
    string(REGEX MATCHALL " ${instance} \\(\n +\\.clk_i *\\(clk_i\\)" found "${result}")
    list(LENGTH found count)
    if(NOT count EQUAL 1)
      dcc_controller_unmatched("${instance}: ${count} times with a clock in its module: rtl/verilated/controller_clocks.cmake has no place; the simulation has one clock for all parts")
      set(DCC_CLOCKS_WHOLE FALSE PARENT_SCOPE)
    endif()
    string(REGEX REPLACE "( ${instance} \\(\n +\\.clk_i *\\()clk_i\\)"
      "\\1controller_rtl_dut.clk_${name}_i)" result "${result}")
  endforeach()
  set(${text} "${result}" PARENT_SCOPE)
endfunction()

function(dcc_controller_clocks out)
  set(sources ${ARGN})
  set(DCC_CLOCKS_WHOLE TRUE)
  foreach(file dc_manager dc_status dc_timers dcc_top)
    set(path ${DCCVP_RTL_DIR}/controller/rtl/${file}.sv)
    if(NOT CMAKE_SCRIPT_MODE_FILE)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    endif()
    file(READ ${path} ${file})
    list(TRANSFORM sources REPLACE "^.*/${file}\\.sv$" ${CMAKE_CURRENT_BINARY_DIR}/clocks/${file}.sv)
  endforeach()
  dcc_controller_clock(dc_manager inputs u_cnps u_commands u_bytes)
  dcc_controller_clock(dc_manager lookup u_lookup)
  dcc_controller_clock(dc_manager classify u_limits u_classify)
  dcc_controller_clock(dc_manager rate u_rate)
  dcc_controller_clock(dc_manager beside u_beside)
  dcc_controller_clock(dc_manager finish u_finish)
  dcc_controller_clock(dc_manager answers u_answers)
  dcc_controller_clock(dc_status counters u_statistics)
  dcc_controller_clock(dc_timers wheel u_first u_again u_wheel)
  dcc_controller_clock(dcc_top regs u_regs)
  foreach(file dc_manager dc_status dc_timers dcc_top)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/clocks/${file}.sv CONTENT "${${file}}" @ONLY)
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
  set(DCC_CLOCKS_WHOLE ${DCC_CLOCKS_WHOLE} PARENT_SCOPE)
endfunction()
