// Testbench of the rate port's delay: latencies of 32, 33, 34, 35, 64 and 255 cycles against a list of the
// words put in. Plain Verilog-2001.
//
//   iverilog -o tb tb_answers.v answers_dut.v && vvp tb
//
// Words enter at random times, alone or back to back. A word that entered in cycle c leaves in cycle c +
// Latency - 31, unless clear_i or the reset was active from c to then. In Verilator a lost bit in the ring of
// the greatest latency is an error, and its word is invalid. Prints PASS, or ends with $fatal.
`timescale 1ns / 1ps
module tb_answers;
  reg          clk, rst_n, clear, valid;
  reg  [47:0]  data;
  wire [5:0]   out_valid, error;
  wire [287:0] out_data;

  answers_dut dut (
    .clk_i(clk), .rst_ni(rst_n), .clear_i(clear), .valid_i(valid), .data_i(data),
    .valid_o(out_valid), .data_o(out_data), .error_o(error)
  );

  // Words that entered in cycle c, at index c mod 256.
  reg         was_valid [0:255];
  reg  [47:0] was_data  [0:255];
  reg  [63:0] state;
  reg         wanted, lost;
  integer     cycle, last, wrong, words, errors, i, k, wait_for, dense;

  task bad(input [8*40-1:0] what);
    begin
      wrong = wrong + 1;
      if (wrong <= 10) $display("cycle %0d, latency %0d: %0s", cycle, wait_for + 31, what);
    end
  endtask
  task draw;
    state = state * 64'd6364136223846793005 + 64'd1442695040888963407;
  endtask

  initial begin
    clk = 0; rst_n = 0; clear = 0; valid = 0; data = 0;
    state = 1; wrong = 0; words = 0; errors = 0; dense = 0; lost = 0; wait_for = 0;
    for (k = 0; k < 256; k = k + 1) was_valid[k] = 0;
    last = -1000;  // latest cycle with clear_i or reset
    for (cycle = 0; cycle < 60000; cycle = cycle + 1) begin
      // Probability with which a word enters: nearly 1, low, or 0; the reset is active in few cycles.
      if (cycle % 700 == 0) begin draw; dense = state[40] ? 15 : state[41] ? 2 : 0; end
      draw;
      valid = state[63:60] < dense;
      data  = {state[31:0], state[47:32]};
      clear = state[59:52] == 0;
      rst_n = !(cycle < 3 || cycle % 9001 == 9000);
      if (clear || !rst_n) last = cycle;
      was_valid[cycle % 256] = valid && rst_n;
      was_data[cycle % 256]  = data;
`ifdef VERILATOR
      // Each word of the ring loses a bit; each lost bit is an error when its word is used.
      lost = cycle >= 50000 && cycle < 55300;  // until the last word with a lost bit has left
      if (lost && cycle < 55000) begin
        for (k = 0; k < 223; k = k + 1)
          dut.g_latency[5].u_answers.g_ring.u_delay.u_ring.u_ram.u_array.mem[k][cycle % 48] =
            !dut.g_latency[5].u_answers.g_ring.u_delay.u_ring.u_ram.u_array.mem[k][cycle % 48];
      end
`endif
      #1;
      // registers without a reset are known after two edges
      for (i = 0; i < 6 && cycle >= 3; i = i + 1) begin
        wait_for = i == 0 ? 1 : i == 1 ? 2 : i == 2 ? 3 : i == 3 ? 4 : i == 4 ? 33 : 224;
        wanted = cycle >= wait_for && last < cycle - wait_for && was_valid[(cycle - wait_for) % 256];
        if (error[i] !== 1'b0 && !(lost && i == 5)) bad("an error");
        if (error[i] === 1'b1) errors = errors + 1;
        if (out_valid[i] !== (wanted && error[i] === 1'b0)) bad("a word too many or too few");
        else if (out_valid[i] === 1'b1) begin
          words = words + 1;
          if (out_data[i*48 +: 48] !== was_data[(cycle - wait_for) % 256] && !(lost && i == 5)) bad("another word");
        end
      end
      #1 clk = 1;
      #2 clk = 0;
    end
`ifdef VERILATOR
    if (errors == 0) begin wrong = wrong + 1; $display("no lost bit is seen"); end
`endif
    if (wrong == 0 && words > 10000) $display("PASS: %0d cycles, %0d words, %0d errors", cycle, words, errors);
    else $fatal(1, "FAIL: %0d words, %0d wrong", words, wrong);
    $finish;
  end
endmodule
