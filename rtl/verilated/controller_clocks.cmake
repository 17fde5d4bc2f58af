# Copies of the controller's modules in which parts of the controller have clocks of their own, so that a simulation
# skips idle parts. The shipped RTL has one clock.
#
# dcc_controller_clocks(OUT SOURCES…): sets OUT to SOURCES with the changed files replaced by their copies;
# controller_rtl_dut.sv, compiled with DCC_CLOCKS, drives the clocks and reports which of them need an edge.
# DCC_CLOCKS_WHOLE: true if every rule found its place.
#
# The copies also differ in some points that no result depends on. Resets are synchronous, because clocks run during
# every reset of the simulation and each asynchronous reset is a clock of its own to Verilator. And the status that
# only software reads, and what a read returns, keep their values while no access is under way.
#
# The logic that only an access or a sweep of the memories uses must depend on no other clock, or Verilator would
# evaluate it in every cycle. So the APB gate and the sweeps have the registers' clock, which runs during accesses and
# resets, and the gate gets the pipeline's quiet state as a sampled input (quiet_i of controller_rtl_dut.sv).

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

# Lets the stages of the rate unit stand still one by one. In the RTL all stages move while one of them holds a
# request; here a stage takes over only what a valid bit vouches for, and computes nothing for an empty stage.
macro(dcc_rate_stages)
  dcc_controller_change(rate_unit 1 "(\n  assign step +=)" "
  logic [Last:1] on;  // stages that take over a request
  assign on = move ? {valid_q[Last-1:1], request_enter || read_enter} : '0;\\1")
  dcc_controller_change(rate_unit 84 "\n( +)s([0-9]+)_([a-z_]+)_q( +)<=" "\n\\1if (on[\\2]) s\\2_\\3_q\\4<=")
  dcc_controller_change(rate_unit 17 "enable_i\\(step\\), \\.d_i\\(s([0-9]+)_([a-z_]+)_q\\), +\\.q_o\\(s([0-9]+)_"
    "enable_i(step && valid_q[\\3-1:\\1] != '0), .d_i(s\\1_\\2_q), .q_o(s\\3_")
  foreach(stage 1:s1_target 2:additive 4:decayed_hi 5:decayed 6:source 6:scaled 6:rest 6:gain 7:new_alpha 8:slope
                8:rise 8:line 9:s9_first_cut 9:s9_whole 10:round 13:s13_target 14:middle)
    string(REPLACE ":" ";" stage ${stage})
    list(GET stage 0 number)
    list(GET stage 1 name)
    dcc_controller_change(rate_unit 1 "\n  assign ${name}( +=)" "\n  always_comb if (valid_q[${number}]) ${name}\\1")
  endforeach()
  foreach(stage 1:step_or_recip 2:n 6:argument 8:beyond 9:multiplier)
    string(REPLACE ":" ";" stage ${stage})
    list(GET stage 0 number)
    list(GET stage 1 name)
    dcc_controller_change(rate_unit 1 "always_comb begin(\n +${name} +=)" "always_comb if (valid_q[${number}]) begin\\1")
  endforeach()
  dcc_controller_change(rate_unit 1 "enable_i \\(step\\)(,\n +.a_i +\\(step_or_recip)" "enable_i (on[2])\\1")
  dcc_controller_change(rate_unit 1 "enable_i \\(step\\)(,\n +.a_i +\\(s9_base_q)" "enable_i (on[10])\\1")
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
      dcc_controller_clock(dc_manager regs u_sweep u_view)
      dcc_controller_change(dc_manager 1 "always_ff @\\(posedge clk_i\\) begin(\n +if \\(!rst_ni\\) beside_q)"
        "always_ff @(posedge controller_rtl_dut.clk_beside_i) begin\\1")
      dcc_controller_change(dc_manager 1 "always_comb begin(\n +event_d +=)" "always_comb if (issue != '0) begin\\1")
    elseif(file MATCHES "^dc_arbiter$")
      dcc_controller_change(dc_arbiter 1 "always_comb begin(\n +same)"
        "always_comb if (valid_i == '0 && !round) choice = '0; else begin\\1")
    elseif(file MATCHES "^rate_unit$")
      dcc_rate_stages()
    elseif(file MATCHES "^dc_status$")
      dcc_controller_clock(dc_status counters u_statistics)
      dcc_controller_change(dc_status 1 "(\n +status_o +=.*)(\n +status_o.irq_status_table_full)"
        "\n    if (controller_rtl_dut.psel_q) begin\\1\n    end\\2")
      dcc_controller_change(dc_status 1 "(\n +status_o.free_slots .*inputs_dropped;\n)"
        "\n    if (controller_rtl_dut.psel_q) begin\\1    end\n")
    elseif(file MATCHES "^dc_timers$")
      dcc_controller_clock(dc_timers wheel u_first u_again u_wheel)
    elseif(file MATCHES "^dcc_top$")
      dcc_controller_clock(dcc_top regs u_gate u_regs)
      dcc_controller_change(dcc_top 1 "\\(quiet && swept\\)" "(controller_rtl_dut.quiet_q)")
    elseif(file MATCHES "^dcc_regs_apb$")
      dcc_controller_change(dcc_regs_apb 3 "always_comb begin" "always_comb if (controller_rtl_dut.psel_q) begin")
    elseif(file MATCHES "^rl_tables$")
      dcc_controller_change(rl_tables 1 "always_ff @\\(posedge clk_i\\) begin(\n +if \\(!rst_ni\\) +sweep_q)"
        "always_ff @(posedge controller_rtl_dut.clk_regs_i) begin\\1")
    endif()
    if(NOT ${file} STREQUAL before)
      file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/clocks/${file}.sv CONTENT "${${file}}" @ONLY)
      list(TRANSFORM sources REPLACE "^.*/${file}\\.sv$" ${CMAKE_CURRENT_BINARY_DIR}/clocks/${file}.sv)
    endif()
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
  set(DCC_CLOCKS_WHOLE ${DCC_CLOCKS_WHOLE} PARENT_SCOPE)
endfunction()
