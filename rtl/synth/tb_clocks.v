// Testbench: dcc_top with ClockGate = 1 beside dcc_top with ClockGate = 0. Every output must be equal in every cycle. It
// counts the edges of the gated clocks at idle and under two loads (clocks.py), then looks at accesses, resets that come
// while the clocks stand still, soft resets, words that lose bits while they stand still, and scan mode.
//
// +light=N, +heavy=N: cycles of the loads; +rest=N: cycles of the rest. Prints the edges of each phase, then PASS, or
// ends with $fatal.
`timescale 1ns / 1ps
module tb_clocks;
  parameter Slots = 1024;
  parameter FlowW = 14;
  reg              clk, rst_n, scan;
  reg  [19:0]      paddr;
  reg              psel, penable, pwrite;
  reg  [31:0]      pwdata;
  reg              cnp_valid, bytes_valid, command_valid, command_query;
  reg  [FlowW-1:0] cnp_flow, bytes_flow, command_flow;
  reg  [7:0]       cnp_marks, cnp_packets;
  reg  [5:0]       cnp_dscp, bytes_dscp;
  reg  [31:0]      bytes_length;

`define BLOCK(NAME, GATE) \
  wire             NAME``_pready, NAME``_pslverr, NAME``_irq, NAME``_ready, NAME``_bytes_ready, NAME``_command_ready; \
  wire             NAME``_rate_valid, NAME``_rate_query, NAME``_rate_bound; \
  wire [31:0]      NAME``_prdata, NAME``_rate_value; \
  wire [FlowW-1:0] NAME``_rate_flow; \
  dcc_top #(.Slots(Slots), .FlowW(FlowW), .ClockGate(GATE)) NAME ( \
    .clk_i(clk), .rst_ni(rst_n), .scan_mode_i(scan), .ram_cfg_i(8'h00), .paddr_i(paddr), .pprot_i(3'b000), \
    .psel_i(psel), .penable_i(penable), .pwrite_i(pwrite), .pwdata_i(pwdata), .pstrb_i(4'hF), \
    .pready_o(NAME``_pready), .prdata_o(NAME``_prdata), .pslverr_o(NAME``_pslverr), .irq_o(NAME``_irq), \
    .ready_o(NAME``_ready), .cnp_valid_i(cnp_valid), .cnp_flow_i(cnp_flow), .cnp_dscp_i(cnp_dscp), \
    .cnp_marks_i(cnp_marks), .cnp_packets_i(cnp_packets), .bytes_valid_i(bytes_valid), \
    .bytes_ready_o(NAME``_bytes_ready), .bytes_flow_i(bytes_flow), .bytes_dscp_i(bytes_dscp), \
    .bytes_length_i(bytes_length), .command_valid_i(command_valid), .command_ready_o(NAME``_command_ready), \
    .command_query_i(command_query), .command_flow_i(command_flow), .rate_valid_o(NAME``_rate_valid), \
    .rate_query_o(NAME``_rate_query), .rate_bound_o(NAME``_rate_bound), .rate_flow_o(NAME``_rate_flow), \
    .rate_value_o(NAME``_rate_value)); \
  wire [FlowW+72:0] NAME``_all = {NAME``_pready, NAME``_pslverr, NAME``_irq, NAME``_ready, NAME``_bytes_ready, \
    NAME``_command_ready, NAME``_rate_valid, NAME``_rate_query, NAME``_rate_bound, \
    NAME``_rate_flow & {FlowW{NAME``_rate_valid}}, NAME``_rate_value & {32{NAME``_rate_valid}}, \
    NAME``_prdata & {32{NAME``_pready && psel && penable && !pwrite}}};
  `BLOCK(gated, 1)
  `BLOCK(plain, 0)

  integer cycle, answers, accesses, resets, light, heavy, rest;
  integer events, entries, i;
  reg [31:0] random;
  always @(posedge gated.u_manager.clk_events) events = events + 1;
  always @(posedge gated.u_manager.clk_entries) entries = entries + 1;

  function [31:0] draw(input [31:0] from);  // xorshift
    begin
      draw = from ^ (from << 13);
      draw = draw ^ (draw >> 17);
      draw = draw ^ (draw << 5);
    end
  endfunction
  task below(input integer n, output integer value);
    begin
      random = draw(random);
      value = (random >> 8) % n;
    end
  endtask

  task clock;
    begin
      #1;
      if (gated_all !== plain_all) $fatal(1, "FAIL: cycle %0d: %h, without gates %h", cycle, gated_all, plain_all);
      if (gated_rate_valid) answers = answers + 1;
      #1 clk = 1;
      #2 clk = 0;
      #1;
      cycle = cycle + 1;
    end
  endtask
  task calm;
    begin
      cnp_valid = 0; bytes_valid = 0; command_valid = 0; command_query = 0;
      cnp_flow = 0; bytes_flow = 0; command_flow = 0; cnp_marks = 0; cnp_packets = 0; cnp_dscp = 0; bytes_dscp = 0;
      bytes_length = 0;
    end
  endtask
  reg done;
  task access(input write, input [19:0] address, input [31:0] data);
    begin
      psel = 1; penable = 0; pwrite = write; paddr = address; pwdata = data;
      clock;
      penable = 1;
      done = 0;
      while (!done) begin
        #1 done = gated_pready;
        clock;
      end
      psel = 0; penable = 0;
      accesses = accesses + 1;
    end
  endtask
  task reset;
    begin
      rst_n = 0;
      repeat (3) clock;
      rst_n = 1;
      while (!gated_ready) clock;
      resets = resets + 1;
    end
  endtask
  task start;  // every phase begins with the clocks standing still
    begin
      calm;
      repeat (400) clock;
    end
  endtask
  task tell(input [8*8-1:0] name, input integer cycles);
    $display("%0s %0d cycles, clk_events %0d, clk_entries %0d", name, cycles, events, entries);
  endtask

  // A notification of bytes every `every` cycles, a CNP every `marked` cycles.
  integer flow;
  task load(input integer cycles, input integer every, input integer marked, input integer flows,
            input integer length);
    begin
      for (i = 0; i < cycles; i = i + 1) begin
        calm;
        below(flows, flow);
        if (i % every == 0) begin
          bytes_valid = 1; bytes_flow = flow; bytes_length = length;
        end
        if (i % marked == 7) begin
          cnp_valid = 1; cnp_flow = flow; cnp_marks = 1; cnp_packets = 8;
        end
        clock;
      end
    end
  endtask

  integer chance;
  task mixed(input integer cycles);  // bursts and rests, with accesses
    for (i = 0; i < cycles; i = i + 1) begin
      calm;
      below(100, chance);
      below(40, flow);
      if (i[9:8] == 0) begin
        cnp_valid = chance < 20; cnp_flow = flow; cnp_marks = chance; cnp_packets = 9;
        bytes_valid = chance % 3 == 0; bytes_flow = flow; bytes_length = 3000 * chance;
        command_valid = chance > 90; command_flow = flow; command_query = chance != 99;
      end else begin
        below(300, chance);
        if (chance == 0) access(0, 20'h80000 + 32 * flow, 0);
        if (chance == 1) access(1, 20'h01000 + 4 * flow, 32'h10000100 + flow);
        if (chance == 2) access(0, 20'h03000 + 4 * (flow % 30), 0);
        if (chance == 3) access(0, 20'h01000 + 4 * flow, 0);
        if (chance == 4) begin command_valid = 1; command_query = 1; command_flow = flow; end
        if (chance == 5) begin bytes_valid = 1; bytes_flow = flow; bytes_length = 100; end
        if (chance == 6) begin cnp_valid = 1; cnp_flow = flow; cnp_marks = 1; end
      end
      clock;
    end
  endtask

  initial begin
    clk = 0; rst_n = 1; scan = 0; psel = 0; penable = 0; pwrite = 0; paddr = 0; pwdata = 0; random = 32'h2545F491;
    cycle = 0; answers = 0; accesses = 0; resets = 0;
    if (!$value$plusargs("light=%d", light)) light = 100000;
    if (!$value$plusargs("heavy=%d", heavy)) heavy = 20000;
    if (!$value$plusargs("rest=%d", rest)) rest = 20000;
    calm;
    #1 reset;
    access(1, 20'h0000C, 32'h2D);  // CTRL: ENABLE
    start;
    events = 0; entries = 0;
    repeat (2000) clock;
    tell("idle", 2000);
    if (events != 0 || entries != 0) $fatal(1, "FAIL: the clocks run at idle");
    events = 0; entries = 0;
    load(light, 333, 12500, 8, 4096);
    tell("light", light);
    start;
    events = 0; entries = 0;
    load(heavy, 21, 125, 256, 1024);
    tell("heavy", heavy);

    // Resets that begin while the clocks stand still, in both halves of the clock; soft reset; a lost bit.
    access(1, 20'h0000C, 32'h2F);
    while (!gated_ready) clock;
    access(1, 20'h00020, 16);      // TICK_DIV
    mixed(rest);
    start;
    reset;
    access(1, 20'h0000C, 32'h2D);
    access(1, 20'h00020, 16);
    access(1, 20'h00024, 100);     // TIMER_INTERVAL
    mixed(rest);
    start;
    #1 clk = 1; #1 rst_n = 0; #1 clk = 0; #1;
    repeat (3) clock;
    rst_n = 1;
    while (!gated_ready) clock;
    access(1, 20'h0000C, 32'h2D);
    mixed(rest);
    start;
    for (i = 0; i < 40; i = i + 1) begin
      gated.u_manager.u_lookup.g_direct.u_flows.u_slot_of.u_ram.u_array.mem[i] <=
        gated.u_manager.u_lookup.g_direct.u_flows.u_slot_of.u_ram.u_array.mem[i] ^ 1;
      plain.u_manager.u_lookup.g_direct.u_flows.u_slot_of.u_ram.u_array.mem[i] <=
        plain.u_manager.u_lookup.g_direct.u_flows.u_slot_of.u_ram.u_array.mem[i] ^ 1;
    end
    command_valid = 1; command_query = 1; command_flow = 3;
    clock;
    start;
    if (gated_ready) $fatal(1, "FAIL: a lost bit is not told");
    access(0, 20'h0008C, 0);
    access(1, 20'h0000C, 32'h2F);  // the soft reset ends the fault
    while (!gated_ready) clock;
    mixed(rest);

    // In scan mode both clocks run in every cycle.
    start;
    rst_n = 0;
    clock;
    scan = 1;
    clock;
    rst_n = 1;
    while (!gated_ready) clock;
    start;
    events = 0; entries = 0;
    repeat (300) clock;
    if (events != 300 || entries != 300) $fatal(1, "FAIL: a clock stands still in scan mode");
    if (answers < 300 || accesses < 100)
      $fatal(1, "FAIL: too little happens: %0d answers, %0d accesses", answers, accesses);
    $display("PASS: %0d cycles, %0d answers, %0d accesses, equal with and without gates", cycle, answers, accesses);
    $finish;
  end
endmodule
