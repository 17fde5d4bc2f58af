// The pacer against the golden model, with random packets, rates and pauses: an example of the model's use in a
// bench. Verilator calls it by DPI, Icarus by VPI (dcc_golden_vpi.c).
//
// +cycles=N: number of cycles, default 20000; +seed=N: seed of the random inputs, default 1
//
// Compiled with SECDED (Verilator only), the memories correct lost bits: after a quarter of the cycles every word of
// every memory loses one bit, and all answers must stay the same.
//
// Prints PASS, or ends with $fatal, which makes the simulator's exit status differ from 0.
`timescale 1ns / 1ps
`ifdef __ICARUS__
`define PACER(name) $dcc_golden_pacer_``name
`else
`define PACER(name) dcc_golden_pkg::dcc_golden_pacer_``name
`endif
module tb_golden_pacer;
  // Parameters of dc_pacer in pacer_dut.sv: a clock of 250 MHz, and a line of 50 bytes a cycle.
  localparam [31:0] Flows = 64, Width = 8, Depth = 4, Scale = 2048 * 250, Slack = 60, LineBytes = 50;

  reg         clk = 0, rst_n = 0, running = 0, over = 0;
  reg         post_valid = 0, rate_valid = 0, want = 0;
  reg  [5:0]  post_flow = 0, rate_flow = 0;
  reg  [13:0] post_bytes = 0;
  reg  [31:0] rate_value = 0;
  reg  [2:0]  rate_priority = 0;
  reg  [7:0]  paused = 0;
  wire        init_done, post_ready, post_refused, rate_ready, sent_valid, strict;
  wire [5:0]  sent_flow;
  wire [13:0] sent_bytes;

`ifdef SECDED
  pacer_dut #(.Secded(1)) dut (
`else
  pacer_dut dut (  // a flattened pacer has no parameters
`endif
    .clk_i(clk), .rst_ni(rst_n), .init_done_o(init_done), .scale_i(Scale[21:0]), .slack_i(Slack[23:0]),
    .post_valid_i(post_valid), .post_ready_o(post_ready), .post_flow_i(post_flow),
    .post_bytes_i(post_bytes), .post_refused_o(post_refused),
    .rate_valid_i(rate_valid), .rate_ready_o(rate_ready), .rate_flow_i(rate_flow),
    .rate_i(rate_value), .rate_priority_i(rate_priority), .paused_i(paused), .want_i(want),
    .sent_valid_o(sent_valid), .sent_flow_o(sent_flow), .sent_bytes_o(sent_bytes), .strict_o(strict)
  );

`ifdef KNOWN
  dc_pacer_known_sva #(.FlowW(6), .BytesW(14)) u_known (
    .clk_i(clk), .rst_ni(rst_n), .init_done_o(init_done), .post_ready_o(post_ready), .post_refused_o(post_refused),
    .rate_ready_o(rate_ready), .sent_valid_o(sent_valid), .sent_flow_o(sent_flow), .sent_bytes_o(sent_bytes),
    .strict_o(strict)
  );
`endif

`ifdef __ICARUS__
  integer pacer;
`else
  chandle pacer;
`endif
  reg [63:0] cycle = 0, state, line_free = 0;
  reg [31:0] flow, bytes, phase = 0;
  integer    cycles, seed, shown, result, wrong = 0, decisions = 0, refused = 0, stricts = 0;

  always #2 clk = !clk;

  task bad(input [8*20-1:0] what);
    begin
      wrong = wrong + 1;
      if (wrong <= 10) $display("cycle %0d: %0s", cycle, what);
    end
  endtask
  // A random number by a linear congruence, so that each simulator draws the same ones.
  function [31:0] below(input [31:0] limit);
    begin
      state = state * 64'd6364136223846793005 + 64'd1442695040888963407;
      below = state[63:33] % limit;
    end
  endfunction

  // Compares the outputs of this cycle with the model, and passes the inputs sampled at the cycle's end to the model.
  always @(posedge clk) if (running && !over) begin
    shown = `PACER(outputs)(pacer, cycle, flow, bytes);
    if (sent_valid !== shown[0]) bad("sent_valid_o");
    if (post_ready !== shown[1]) bad("post_ready_o");
    if (rate_ready !== shown[2]) bad("rate_ready_o");
    if (post_refused !== shown[3]) bad("post_refused_o");
    if (strict !== shown[4]) bad("strict_o");
    if (shown[0]) begin
      if (sent_flow !== flow[5:0] || sent_bytes !== bytes[13:0]) bad("another decision");
      decisions = decisions + 1;
      line_free = (line_free > cycle ? line_free : cycle) + bytes / LineBytes;
    end
    refused = refused + shown[3];
    stricts = stricts + shown[4];
    result = `PACER(pins)(pacer, cycle, {24'b0, paused}, {31'b0, want});
    if (post_valid && post_ready)
      result = `PACER(post)(pacer, cycle, {26'b0, post_flow}, {18'b0, post_bytes});
    if (rate_valid && rate_ready)
      result = `PACER(rate)(pacer, cycle, {26'b0, rate_flow}, rate_value, {29'b0, rate_priority});
    cycle = cycle + 1;
    over = cycle == cycles || wrong >= 10;
  end

  // Phases of 2048 cycles: packets below the line rate, packets above it, a packet in every cycle, no packets.
  always @(negedge clk) if (running) begin
    phase = {30'b0, cycle[12:11]};
    case (phase)
      0: post_valid = below(40) == 0;
      1: post_valid = below(6) == 0;
      2: post_valid = 1;
      default: post_valid = 0;
    endcase
    post_flow = below(Flows);
    post_bytes = 1 + below(below(20) == 0 ? 16383 : 1500);
    rate_valid = below(20) == 0;
    rate_flow = below(Flows);
    // Some rates divide the scale (125 * 2^n), so that the time of a byte has a single bit.
    rate_value = below(16) == 0 ? below('h7FFFFFFF) : below(8) == 0 ? 125 << (10 + below(4)) :
                 200_000 + below(800_000);
    rate_priority = below(4) == 0 ? below(8) : 3;
    if (below(400) == 0) paused = below(2) == 0 ? 0 : below(256);
    want = cycle >= line_free && below(8) != 0;
  end

`ifdef SECDED
`define LOSE(PLACE) \
    for (k = 0; k < $size(PLACE.u_ram.u_array.mem); k = k + 1) \
      PLACE.u_ram.u_array.mem[k] <= PLACE.u_ram.u_array.mem[k] ^ \
        ($bits(PLACE.u_ram.u_array.mem[0])'(1) << ((37 * k + 5 * seed) % $bits(PLACE.u_ram.u_array.mem[0])));
  integer k, reports = 0;
  task lose;
    begin
      `LOSE(dut.u_pacer.u_rows)
      `LOSE(dut.u_pacer.u_rows_scan)
      `LOSE(dut.u_pacer.u_exact)
      `LOSE(dut.u_pacer.u_gaps)
      `LOSE(dut.u_pacer.u_queues.u_post_begin)
      `LOSE(dut.u_pacer.u_queues.u_post_end)
      `LOSE(dut.u_pacer.u_queues.u_read_begin)
      `LOSE(dut.u_pacer.u_queues.u_read_end)
      `LOSE(dut.u_pacer.u_queues.u_lengths)
    end
  endtask
  always @(posedge clk) if (running && !over) begin
    if (dut.unused_report[0]) bad("a word that could not be corrected");
    if (dut.unused_report[1]) begin
      reports = reports + 1;
      if (cycle < cycles / 4) bad("a corrected word, though none has lost a bit");
    end
    if (cycle + 2 == cycles && reports < 100) bad("lost bits that nobody corrects");
  end
`endif

  initial begin
    if (!$value$plusargs("cycles=%d", cycles)) cycles = 20000;
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    state = {32'b0, seed};
    pacer = `PACER(new)(Flows, Width, Depth, Scale, Slack);
    repeat (4) @(negedge clk);
    rst_n = 1;
    while (init_done !== 1'b1) begin
      @(negedge clk);
      #1;
    end
    running = 1;
    while (!over) begin
      @(negedge clk);
`ifdef SECDED
      if (cycle == cycles / 4) lose;
`endif
    end
    if (wrong == 0 && decisions > cycles / 200 && refused > 0 && stricts > 0)
      $display("PASS: %0d cycles, %0d decisions, %0d posts refused", cycles, decisions, refused);
    else
      $fatal(1, "FAIL: %0d cycles, %0d decisions, %0d refused, %0d strict, %0d wrong", cycle, decisions,
             refused, stricts, wrong);
    $finish;
  end
endmodule
