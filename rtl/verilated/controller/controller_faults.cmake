# Copies of five modules of the controller, each with a fault that a number at the pins switches on, to show that
# lock-step detects these faults in a network. The shipped RTL stays unchanged.
#
# dcc_controller_faults(OUT SOURCES…): sets OUT to SOURCES with the modules replaced by their faulty copies.

# Records lines that the replacement rules did not find in the modules: configuration continues, and the test
# controller_copies fails with these lines.
set(DCC_CONTROLLER_UNMATCHED ${CMAKE_CURRENT_BINARY_DIR}/unmatched.txt)
file(WRITE ${DCC_CONTROLLER_UNMATCHED} "")
function(dcc_controller_unmatched line)
  file(APPEND ${DCC_CONTROLLER_UNMATCHED} "${line}\n")
  message(WARNING "${line}")
endfunction()

# Replaces a line of a module by another one; the line must occur in the module exactly once.
function(dcc_controller_fault number file from to)
  file(READ ${DCCVP_RTL_DIR}/${file} text)
  if(NOT CMAKE_SCRIPT_MODE_FILE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${DCCVP_RTL_DIR}/${file})
  endif()
  string(FIND "${text}" "${from}" first)
  string(FIND "${text}" "${from}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    # The module stays unchanged, so the test of this fault fails.
    dcc_controller_unmatched("rtl/${file}: '${from}' is not there once: fault ${number} of rtl/verilated/controller/controller_faults.cmake has no place")
  else()
    string(REPLACE "${from}" "${to}" text "${text}")
  endif()
  get_filename_component(name ${file} NAME)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/faulty/${name} CONTENT "${text}" @ONLY)
endfunction()

function(dcc_controller_faults out)
  set(fault controller_rtl_dut.fault_i)
  # Fault 1: a timer event is offered a cycle late.
  dcc_controller_fault(1 controller/rtl/dc_timers.sv
    "cycle_q >= 16'(dcc_controller_pkg::FirstOffer) - 16'd1 &&"
    "cycle_q >= 16'(dcc_controller_pkg::FirstOffer) - 16'(${fault} != 3'd1) &&")
  # Fault 2: fast recovery lasts an event longer.
  dcc_controller_fault(2 controller/rtl/dc_classify.sv "(most < regs_i.f)"
    "(most < regs_i.f + 8'(${fault} == 3'd2))")
  # Fault 3: the mean of two rates is rounded down.
  dcc_controller_fault(3 rate_lut/rtl/rate_unit.sv "33'(s14_value_q) + 33'd1"
    "33'(s14_value_q) + 33'(${fault} != 3'd3)")
  # Fault 4: queries are counted as rate updates.
  dcc_controller_fault(4 controller/rtl/dc_statistics.sv "answer_i && !plan_i.query"
    "answer_i && (!plan_i.query || ${fault} == 3'd4)")
  # Fault 5: of each pair of slots, the second slot is handed out first.
  dcc_controller_fault(5 controller/rtl/dc_free_list.sv "(sweep_i ? index_i : give_slot_i)"
    "(sweep_i ? index_i ^ SlotW'(${fault} == 3'd5) : give_slot_i)")
  set(sources ${ARGN})
  foreach(name dc_timers dc_classify rate_unit dc_statistics dc_free_list)
    list(TRANSFORM sources REPLACE "^.*/${name}\\.sv$" ${CMAKE_CURRENT_BINARY_DIR}/faulty/${name}.sv)
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()
