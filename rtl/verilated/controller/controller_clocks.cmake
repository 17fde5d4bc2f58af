# Copies of the controller's modules in which parts of the controller have clocks of their own, so that a simulation
# skips idle parts. The shipped RTL has one clock.
#
# dcc_controller_clocks(OUT SOURCES…): sets OUT to SOURCES with the changed files replaced by their copies;
# controller_rtl_dut.sv, compiled with DCC_CLOCKS, drives the clocks and reports which of them need an edge.
# DCC_CLOCKS_WHOLE: true if every rule found its place.
#
# The copies also differ in some points that no result depends on. Resets are synchronous, because clocks run during
# every reset of the simulation and each asynchronous reset is a clock of its own to Verilator. And the status that
# only software reads, and what a read returns, keep their values while no access is under way. The words of memories
# have no check bits, since the simulation loses no bits. The wheel finds its next tick with work in one cycle instead of
# three, which only this simulation looks at.
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
    dcc_controller_unmatched("${text}: '${from}' occurs ${times} times, not ${count} times: rtl/verilated/controller/controller_clocks.cmake has no place; the simulation has one clock for all parts")
    set(DCC_CLOCKS_WHOLE FALSE PARENT_SCOPE)
  endif()
  string(REGEX REPLACE "${from}" "${to}" result "${${text}}")
  set(${text} "${result}" PARENT_SCOPE)
endfunction()

# Connects instances in a file to the clock controller_rtl_dut.clk_NAME_i; each instance must occur in the file
# exactly once.
macro(dcc_controller_clock text name)
  foreach(instance ${ARGN})
    dcc_controller_change(${text} 1 "( ${instance} \\(\n +\\.clk_i *\\()clk_[a-z]+\\)"
      "\\1controller_rtl_dut.clk_${name}_i)")
  endforeach()
endmacro()

# Lets assignments be calculated only under a condition without which nothing looks at them.
macro(dcc_controller_gate text condition)
  foreach(name ${ARGN})
    dcc_controller_change(${text} 1 "\n  assign ${name}( +)=" "\n  always_comb if (${condition}) ${name}\\1=")
  endforeach()
endmacro()

include(${CMAKE_CURRENT_LIST_DIR}/controller_fold.cmake)

function(dcc_controller_clocks out)
  set(sources ${ARGN})
  set(DCC_CLOCKS_WHOLE TRUE)
  # The copies hold several modules in a file, and calculate values that nothing uses.
  set(unchecked "")
  foreach(warning DECLFILENAME UNUSEDSIGNAL UNUSEDPARAM PINCONNECTEMPTY BLKSEQ)
    string(APPEND unchecked "// verilator lint_off ${warning}\n")
  endforeach()
  file(STRINGS ${DCCVP_RTL_DIR}/controller/files.f files)
  foreach(path ${files})
    get_filename_component(file ${path} NAME_WE)
    if(NOT CMAKE_SCRIPT_MODE_FILE)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${DCCVP_RTL_DIR}/${path})
    endif()
    file(READ ${DCCVP_RTL_DIR}/${path} ${file})
    set(before "${${file}}")
    # Clocks that stand still (dc_clocks.sv) have another form here: each instance has one clock.
    string(REGEX REPLACE "@\\(posedge clk_(free_i|entries_i|events)" "@(posedge clk_i" ${file} "${${file}}")
    string(REPLACE "@(posedge clk_i or negedge rst_ni)" "@(posedge clk_i)" ${file} "${${file}}")
    if(file MATCHES "^dc_manager$")
      dcc_controller_clock(dc_manager inputs u_cnps u_commands u_bytes)
      dcc_controller_clock(dc_manager lookup u_lookup)
      dcc_controller_clock(dc_manager regs u_limits u_rate)
      dcc_controller_clock(dc_manager regs u_sweep u_view)
      string(REGEX REPLACE "\\(clk_(events|entries)\\)" "(clk_i)" dc_manager "${dc_manager}")
      dcc_controller_change(dc_manager 1 "\n  dc_clocks #[^;]*;" "")
      dcc_fold_manager()
      dcc_controller_change(dc_manager 1 "hold_i \\|\\| !ready" "hold_i || !ready || controller_rtl_dut.hold_q")
      dcc_controller_change(dc_manager 1 "always_comb begin(\n +event_d +=)" "always_comb if (issue != '0) begin\\1")
    elseif(file MATCHES "^dc_arbiter$")
      dcc_controller_change(dc_arbiter 1 "always_comb begin(\n +same)"
        "always_comb if (valid_i == '0 && !round) choice = '0; else begin\\1")
    elseif(file MATCHES "^dc_classify$")
      dcc_fold_classify()
    elseif(file MATCHES "^rl_mul$")
      file(READ ${DCCVP_RTL_DIR}/verilated/controller/fold_parts.sv fold_parts)
      string(APPEND rl_mul "${fold_parts}")
    elseif(file MATCHES "^dc_lookup$")
      dcc_fold_lookup()
    elseif(file MATCHES "^dc_finish$")
      dcc_fold_finish()
    elseif(file MATCHES "^dc_limits$")
      dcc_fold_limits()
    elseif(file MATCHES "^rate_unit$")
      dcc_fold_rate()
    elseif(file MATCHES "^dc_answers$")
      # The adapter delays the answers.
      dcc_controller_change(dc_answers 1 "\n  localparam int unsigned Wait .*\nendmodule"
        "\n  assign {valid_o, data_o, error_o} = '0;\nendmodule\n")
    elseif(file MATCHES "^ram_guarded$")
      dcc_controller_change(ram_guarded 1 "\n  // Number of parts of a word .*\nendmodule" "
  ram_1r1w #(.Depth(Depth), .Width(Width)) u_ram (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (ren_i),
    .raddr_i(raddr_i),
    .rdata_o(rdata_o),
    .wen_i  (wen_i),
    .waddr_i(waddr_i),
    .wdata_i(wdata_i)
  );
  assign report_o = '0;
endmodule")
    elseif(file MATCHES "^ram_1r1w$")
      # The array of the copies returns the new word if a word is read and written in the same cycle.
      dcc_controller_change(ram_1r1w 1 "\n  always_ff @\\(posedge clk_i\\) begin.*\n  assign rdata_o[^;]*;"
        "\n  assign rdata_o = array_rdata;")
    elseif(file MATCHES "^ram_1r1w_array$")
      dcc_controller_change(ram_1r1w_array 1 "mem\\[waddr_i\\] <= " "mem[waddr_i] = ")
    elseif(file MATCHES "^lowest_bit$")
      dcc_controller_change(lowest_bit 1 "\n  for \\(genvar k = 0.*\n  assign any_o" "\n  assign any_o")
      dcc_controller_change(lowest_bit 1 "g_search\\[0\\].found"
        "(bits_i == '0) ? '1 : IndexW'($countones(~bits_i & (bits_i - 1'b1)))")
    elseif(file MATCHES "^next_in_ring$")
      dcc_controller_change(next_in_ring 1 "\n    logic \\[Width-1:0\\] rest;.*\n  endfunction"
        "\n    lowest = IndexW'($countones(~bits & (bits - 1'b1)));\n  endfunction")
      dcc_controller_change(next_in_ring 1 "always_ff @\\(posedge clk_i\\) begin" "always_comb begin")
      string(REGEX REPLACE "(\n +(turned_q|any_o|distance_o) +)<=" "\\1=" next_in_ring "${next_in_ring}")
    elseif(file MATCHES "^tw_idle$")
      dcc_controller_change(tw_idle 1 "Settled = 2'd3" "Settled = 2'd1")
    elseif(file MATCHES "^dc_status$")
      dcc_controller_clock(dc_status counters u_statistics)
      dcc_controller_change(dc_status 1 "(\n +status_o +=.*)(\n +status_o.irq_status_table_full)"
        "\n    if (controller_rtl_dut.psel_q) begin\\1\n    end\\2")
      dcc_controller_change(dc_status 1 "(\n +status_o.free_slots .*inputs_dropped;\n)"
        "\n    if (controller_rtl_dut.psel_q) begin\\1    end\n")
    elseif(file MATCHES "^dc_timers$")
      dcc_controller_clock(dc_timers wheel u_first u_again u_wheel)
      dcc_controller_change(dc_timers 1 "always_ff @\\(posedge clk_i\\) begin(\n +if \\(!rst_ni\\) start_q)"
        "always_ff @(posedge controller_rtl_dut.clk_wheel_i) begin\\1")
      dcc_controller_change(dc_timers 1 "always_ff @\\(posedge clk_i\\) begin(\n +if \\(prepare)"
        "always_ff @(posedge controller_rtl_dut.clk_wheel_i) begin\\1")
      # The look-up of a waiting expiry's flow has the look-up's clock. Registers of clk_i itself are left that only
      # count, but in a cycle in which an event is issued. wait_q is wait_for as soon as an expiry may be offered.
      dcc_controller_change(dc_timers 1 "\n +asked_q +<= 1'b0;\n +known_q +<= 1'b0;" "")
      dcc_controller_change(dc_timers 1 "\n +asked_q <= ([^\n]*)\n +known_q <= ([^\n]*)" "")
      dcc_controller_change(dc_timers 1 "always_ff @\\(posedge clk_i\\) if \\(asked_q && !known_q\\) flow_q"
        "always_ff @(posedge controller_rtl_dut.clk_lookup_i) begin
    asked_q <= rst_ni && expire_valid && !take_i && !clear_i;
    known_q <= rst_ni && asked_q && !take_i && !clear_i;
  end
  always_ff @(posedge controller_rtl_dut.clk_lookup_i) if (asked_q && !known_q) flow_q")
      dcc_controller_change(dc_timers 1 "since_q >= wait_q" "since_q >= wait_for")
    elseif(file MATCHES "^dc_fifo$")
      # The word at the head changes with the queue only.
      dcc_controller_change(dc_fifo 1 "\\.ren_i  \\(1'b1\\)" ".ren_i  (push || pop_i || clear_i)")
      dcc_controller_change(dc_fifo 1 "\n    end else begin" "\n    end else if (push || pop_i || clear_i) begin")
    elseif(file MATCHES "^dc_byte_queue$")
      # Entries have no parity, as words of memories have none.
      dcc_controller_change(dc_byte_queue 1 "\n  logic \\[Depth-1:0\\] flow_parity_q[^\n]*" "")
      dcc_controller_change(dc_byte_queue 1 " && flow_parity_q\\[i\\] == flow_parity" "")
      dcc_controller_change(dc_byte_queue 4 "\n +[a-z]+_parity_q\\[[a-z_]+\\] <= [^\n]*" "")
      dcc_controller_change(dc_byte_queue 1 "\n +if \\(adds_q\\) sums_wrong = [^\n]*" "")
      dcc_controller_change(dc_byte_queue 1 "\n  logic             head_wrong, wrong_q;.*\nendmodule"
        "\n  assign error_o = '0;\nendmodule")
    elseif(file MATCHES "^timing_wheel$")
      dcc_controller_gate(timing_wheel decide due_blocks due_tops held_blocks held_tops lazy)
    elseif(file MATCHES "^tw_lists$")
      set(changes "(open_i || pop_i || remove_i || append_i)")
      dcc_controller_gate(tw_lists remove_i from_open_top from_open_middle from_head from_tail is_head is_tail)
      dcc_controller_gate(tw_lists append_i append_used)
      dcc_controller_gate(tw_lists pop_i source_last)
      dcc_controller_change(tw_lists 1 "always_comb begin(\n +next_waddr)"
        "always_comb if (!(append_i || remove_i)) {next_wen, previous_wen, ends_wen} = '0; else begin\\1")
      dcc_controller_change(tw_lists 1 "always_comb begin(\n +top_used_d)" "always_comb if ${changes} begin\\1")
      dcc_controller_change(tw_lists 1 "end else begin(\n +top_used_q)" "end else if (clear_i || ${changes}) begin\\1")
      dcc_controller_change(tw_lists 1 "always_ff @\\(posedge clk_i\\) begin(\n +top_head_q)"
        "always_ff @(posedge clk_i) if ${changes} begin\\1")
    elseif(file MATCHES "^tw_place$")
      dcc_controller_change(tw_place 1 "always_comb begin" "always_comb if (timing_wheel.look) begin")
    elseif(file MATCHES "^tw_last_level$")
      dcc_controller_gate(tw_last_level "put_i || take_i" summary_waddr summary_wdata leaf_waddr leaf_wdata)
      dcc_controller_gate(tw_last_level take_i take_current)
      dcc_controller_gate(tw_last_level "load_begin_i || load_read_i" load_from)
      dcc_controller_gate(tw_last_level summary_ren summary_raddr)
      dcc_controller_gate(tw_last_level leaf_ren leaf_raddr)
      dcc_controller_change(tw_last_level 1 "always_comb begin(\n +put_summary)" "always_comb if (put_i || take_i) begin\\1")
      dcc_controller_change(tw_last_level 1 "always_comb begin(\n +row_used_d)"
        "always_comb if (load_take_i || take_i || put_i) begin\\1")
      dcc_controller_change(tw_last_level 1 "else (row_used_q <=)" "else if (clear_i || load_take_i || take_i || put_i) \\1")
    elseif(file MATCHES "^dcc_top$")
      dcc_controller_clock(dcc_top regs u_gate u_regs)
      dcc_controller_change(dcc_top 1 "\\(quiet && swept\\)" "(controller_rtl_dut.quiet_q)")
    elseif(file MATCHES "^dcc_regs_apb$")
      dcc_controller_gate(dcc_regs_apb "controller_rtl_dut.psel_q" locked)
      dcc_controller_change(dcc_regs_apb 3 "always_comb begin" "always_comb if (controller_rtl_dut.psel_q) begin")
    elseif(file MATCHES "^rl_tables$")
      dcc_controller_change(rl_tables 1 "always_ff @\\(posedge clk_i\\) begin(\n +if \\(!rst_ni\\) +sweep_q)"
        "always_ff @(posedge controller_rtl_dut.clk_regs_i) begin\\1")
      dcc_fold_tables()
    endif()
    if(NOT ${file} STREQUAL before)
      file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/clocks/${file}.sv CONTENT "${unchecked}${${file}}" @ONLY)
      list(TRANSFORM sources REPLACE "^.*/${file}\\.sv$" ${CMAKE_CURRENT_BINARY_DIR}/clocks/${file}.sv)
    endif()
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
  set(DCC_CLOCKS_WHOLE ${DCC_CLOCKS_WHOLE} PARENT_SCOPE)
endfunction()
