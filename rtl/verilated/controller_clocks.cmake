# Copies of the controller's modules in which parts of the controller have clocks of their own, so that a simulation
# skips idle parts. The shipped RTL has one clock.
#
# dcc_controller_clocks(OUT SOURCES…): sets OUT to SOURCES with the changed files replaced by their copies;
# controller_rtl_dut.sv, compiled with DCC_CLOCKS, drives the clocks and reports which of them need an edge.
# DCC_CLOCKS_WHOLE: true if every rule found its place.
#
# The copies also differ in two points that no result depends on. Resets are synchronous, because clocks run during
# every reset of the simulation and each asynchronous reset is a clock of its own to Verilator. And the status that
# only software reads is 0 while no access is under way.

# Replaces text that a regular expression finds in a file; it must be found `count` times.
function(dcc_controller_change text count from to)
  string(REGEX REPLACE "${from}" "#found#" found "${${text}}")
  string(REGEX MATCHALL "#found#" found "${found}")
  list(LENGTH found times)
  if(NOT times EQUAL count)
    dcc_controller_unmatched("${text}: '${from}' occurs ${times} times, not ${count} times: rtl/verilated/controller_clocks.cmake has no place; the simulation has one clock for all parts")
    set(DCC_CLOCKS_WHOLE FALSE PARENT_SCOPE)
  endif()
  string(REGEX REPLACE "${from}" "${to}" result "${${text}}")
  set(${text} "${result}" PARENT_SCOPE)
endfunction()

# Connects instances in a file to the clock controller_rtl_dut.clk_NAME_i; each instance must occur in the file
# exactly once.
macro(dcc_controller_clock text name)
  foreach(instance ${ARGN})
    dcc_controller_change(${text} 1 "( ${instance} \\(\n +\\.clk_i *\\()clk_i\\)"
      "\\1controller_rtl_dut.clk_${name}_i)")
  endforeach()
endmacro()

function(dcc_controller_clocks out)
  set(sources ${ARGN})
  set(DCC_CLOCKS_WHOLE TRUE)
  file(STRINGS ${DCCVP_RTL_DIR}/controller/files.f files)
  foreach(path ${files})
    get_filename_component(file ${path} NAME_WE)
    if(NOT CMAKE_SCRIPT_MODE_FILE)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${DCCVP_RTL_DIR}/${path})
    endif()
    file(READ ${DCCVP_RTL_DIR}/${path} ${file})
    set(before "${${file}}")
    string(REPLACE "@(posedge clk_i or negedge rst_ni)" "@(posedge clk_i)" ${file} "${${file}}")
    if(file MATCHES "^dc_manager$")
      dcc_controller_clock(dc_manager inputs u_cnps u_commands u_bytes)
      dcc_controller_clock(dc_manager lookup u_lookup)
      dcc_controller_clock(dc_manager classify u_limits u_classify)
      dcc_controller_clock(dc_manager rate u_rate)
      dcc_controller_clock(dc_manager beside u_beside)
      dcc_controller_clock(dc_manager finish u_finish)
      dcc_controller_clock(dc_manager answers u_answers)
      dcc_controller_change(dc_manager 1 "always_ff @\\(posedge clk_i\\) begin(\n +if \\(!rst_ni\\) beside_q)"
        "always_ff @(posedge controller_rtl_dut.clk_beside_i) begin\\1")
    elseif(file MATCHES "^dc_status$")
      dcc_controller_clock(dc_status counters u_statistics)
      dcc_controller_change(dc_status 1 "(\n +status_o.free_slots .*inputs_dropped;\n)"
        "\n    if (controller_rtl_dut.psel_q) begin\\1    end\n")
    elseif(file MATCHES "^dc_timers$")
      dcc_controller_clock(dc_timers wheel u_first u_again u_wheel)
    elseif(file MATCHES "^dcc_top$")
      dcc_controller_clock(dcc_top regs u_regs)
    endif()
    if(NOT ${file} STREQUAL before)
      file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/clocks/${file}.sv CONTENT "${${file}}" @ONLY)
      list(TRANSFORM sources REPLACE "^.*/${file}\\.sv$" ${CMAKE_CURRENT_BINARY_DIR}/clocks/${file}.sv)
    endif()
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
  set(DCC_CLOCKS_WHOLE ${DCC_CLOCKS_WHOLE} PARENT_SCOPE)
endfunction()
