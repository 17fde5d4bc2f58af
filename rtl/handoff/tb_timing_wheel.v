// Testbench: plays golden vectors to the timing wheel and compares every output in every cycle. Plain
// Verilog-2001.
//
//   iverilog -o tb tb_timing_wheel.v timing_wheel_dut.v && vvp tb +vectors=timing_wheel.vec
//   (check.sh has it run on the SystemVerilog as well, with Verilator)
//
// Format of a line: see vectors/README.md. Prints PASS and the number of cycles
// compared, or ends with $fatal: a simulator's exit status is not 0 then.
`timescale 1ns / 1ps
module tb_timing_wheel;
  reg         clk, rst_n;
  reg  [31:0] i [0:9];  // words of the current vector line; the pins change after all of them are read
  reg         clear, tick, cmd_valid, expire_ready, overrun_clear, advance;
  reg  [1:0]  cmd_op;
  reg  [15:0] cmd_slot, cmd_delay;
  reg  [31:0] advance_to;
  reg  [31:0] e [0:13];
  wire        init_done, cmd_ready, cmd_done, cmd_hit, expire_valid, overrun, idle, next_due_valid;
  wire        busy, move;
  wire [16:0] cmd_due;
  wire [15:0] expire_slot;
  wire [31:0] expire_due, now, lag, next_due;

  timing_wheel_dut dut (
    .clk_i(clk), .rst_ni(rst_n), .fault_i(2'd0), .clear_i(clear), .init_done_o(init_done),
    .tick_i(tick), .cmd_valid_i(cmd_valid), .cmd_ready_o(cmd_ready), .cmd_op_i(cmd_op),
    .cmd_slot_i(cmd_slot), .cmd_delay_i(cmd_delay), .cmd_done_o(cmd_done), .cmd_hit_o(cmd_hit),
    .cmd_due_o(cmd_due), .expire_valid_o(expire_valid), .expire_ready_i(expire_ready),
    .expire_slot_o(expire_slot), .expire_due_o(expire_due), .now_o(now), .lag_o(lag),
    .overrun_o(overrun), .overrun_clear_i(overrun_clear), .idle_o(idle),
    .next_due_valid_o(next_due_valid), .next_due_o(next_due), .advance_i(advance),
    .advance_to_i(advance_to), .busy_o(busy), .move_o(move)
  );

  reg [8*256-1:0] path;
  integer file, n, k, cycles, wrong, expiries;
  reg     read;  // 1: the command under way is a read command

  task drive;
    begin
      clear = i[0][0];
      tick = i[1][0];
      cmd_valid = i[2][0];
      cmd_op = i[3][1:0];
      cmd_slot = i[4][15:0];
      cmd_delay = i[5][15:0];
      expire_ready = i[6][0];
      overrun_clear = i[7][0];
      advance = i[8][0];
      advance_to = i[9];
    end
  endtask

  initial begin
    clk = 0; rst_n = 0; cycles = 0; wrong = 0; expiries = 0; read = 0;
    for (k = 0; k < 10; k = k + 1) i[k] = 0;
    drive;
    if (!$value$plusargs("vectors=%s", path)) path = "timing_wheel.vec";
    file = $fopen(path, "r");
    if (file == 0) begin
      $fatal(1, "FAIL: cannot read the vectors");
    end
    for (k = 0; k < 3; k = k + 1) begin
      #2 clk = 1;
      #2 clk = 0;
    end
    rst_n = 1;
    n = 24;
    while (n == 24) begin
      n = $fscanf(file, "%h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h %h\n",
                  i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], i[8], i[9], e[0], e[1], e[2], e[3],
                  e[4], e[5], e[6], e[7], e[8], e[9], e[10], e[11], e[12], e[13]);
      if (n == 24) begin
        cycles = cycles + 1;
        drive;
        #2;
        if (init_done !== e[0][0] || cmd_ready !== e[1][0] || cmd_done !== e[2][0] ||
            (cmd_done && cmd_hit !== e[3][0]) || (cmd_done && cmd_hit && read && cmd_due !== e[4][16:0]) ||
            expire_valid !== e[5][0] ||
            (expire_valid && (expire_slot !== e[6][15:0] || expire_due !== e[7])) ||
            now !== e[8] || lag !== e[9] || overrun !== e[10][0] || idle !== e[11][0] ||
            (idle && (next_due_valid !== e[12][0] || (next_due_valid && next_due !== e[13])))) begin
          wrong = wrong + 1;
          if (wrong <= 10)
            $display("cycle %0d: now %0d lag %0d ready %b done %b hit %b offer %b slot %0d due %0d idle %b next %b %0d",
                     cycles, now, lag, cmd_ready, cmd_done, cmd_hit, expire_valid, expire_slot,
                     expire_due, idle, next_due_valid, next_due);
        end
        if (expire_valid && expire_ready) expiries = expiries + 1;
        if (cmd_valid && cmd_ready) read = cmd_op >= 2'd2;
        clk = 1;
        #2 clk = 0;
      end
    end
    if (wrong == 0 && cycles > 0 && expiries > 0 && $feof(file))
      $display("PASS: %0d cycles compared, %0d expiries", cycles, expiries);
    else
      $fatal(1, "FAIL: %0d cycles, %0d expiries, %0d wrong", cycles, expiries, wrong);
    $finish;
  end
endmodule
