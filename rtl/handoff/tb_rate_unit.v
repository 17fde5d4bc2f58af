// Testbench: plays golden vectors to the rate unit and compares every response. Plain Verilog-2001.
//
//   iverilog -o tb tb_rate_unit.v rate_dut.v && vvp tb +vectors=rate_unit.vec
//   (check.sh has it run on the SystemVerilog as well, with Verilator)
//
// Format of a line: see vectors/README.md. Requests are offered every cycle; the consumer hesitates
// in a pseudo-random pattern. Prints PASS and the number of comparisons, or
// ends with $fatal: a simulator's exit status is not 0 then.
`timescale 1ns / 1ps
module tb_rate_unit;
  reg         clk, rst_n;
  reg [255:0] regs;
  reg         req_valid, req_increase, req_first;
  reg  [31:0] req_rc, req_rt;
  reg  [5:0]  req_dscp;
  reg  [1:0]  req_stage;
  reg  [16:0] req_alpha;
  reg  [19:0] req_delta;
  reg  [7:0]  req_marks;
  reg         rsp_ready;
  reg         tbl_valid;
  reg  [2:0]  tbl_table;
  reg  [8:0]  tbl_index;
  reg  [31:0] tbl_wdata;
  wire        init_done, req_ready, rsp_valid, rsp_increase, rsp_at_maximum, tbl_ready, busy;
  wire [31:0] rsp_rc, rsp_rt, tbl_rdata;
  wire [16:0] rsp_alpha;

  rate_dut dut (
    .clk_i(clk), .rst_ni(rst_n), .fault_i(2'd0), .init_done_o(init_done),
    .regs_i(regs),
    .req_valid_i(req_valid), .req_ready_o(req_ready), .req_increase_i(req_increase),
    .req_rc_i(req_rc), .req_rt_i(req_rt), .req_dscp_i(req_dscp), .req_stage_i(req_stage),
    .req_alpha_i(req_alpha), .req_delta_i(req_delta), .req_marks_i(req_marks),
    .req_first_i(req_first),
    .rsp_valid_o(rsp_valid), .rsp_ready_i(rsp_ready), .rsp_increase_o(rsp_increase),
    .rsp_rc_o(rsp_rc), .rsp_rt_o(rsp_rt), .rsp_alpha_o(rsp_alpha),
    .rsp_at_maximum_o(rsp_at_maximum),
    .tbl_valid_i(tbl_valid), .tbl_write_i(1'b1), .tbl_table_i(tbl_table), .tbl_index_i(tbl_index),
    .tbl_wdata_i(tbl_wdata), .tbl_ready_o(tbl_ready), .tbl_rdata_o(tbl_rdata), .busy_o(busy)
  );

  always #2 clk = ~clk;

  // Expected responses; the oldest response comes first.
  reg [96:0] expected [0:1023];  // expected answer: increase, rc, rt, alpha or at_maximum
  reg [96:0] e;
  integer put, got, wrong, lines;
  reg [15:0] lfsr;

  always @(posedge clk) begin
    if (rst_n && rsp_valid && rsp_ready) begin
      e = expected[got % 1024];
      if (got >= put || rsp_increase !== e[96] || rsp_rc !== e[95:64] || rsp_rt !== e[63:32] ||
          (e[96] ? rsp_at_maximum !== e[0] : rsp_alpha !== e[16:0])) begin
        wrong = wrong + 1;
        $display("response %0d: increase %b rc %h rt %h alpha %h max %b, expected %h",
                 got, rsp_increase, rsp_rc, rsp_rt, rsp_alpha, rsp_at_maximum, e);
      end
      got = got + 1;
    end
  end
  always @(negedge clk) begin
    lfsr = {lfsr[14:0], lfsr[15] ^ lfsr[13] ^ lfsr[12] ^ lfsr[10]};
    rsp_ready = lfsr[1:0] != 2'd0;
  end

  task drain;
    begin
      @(negedge clk);
      while (busy) @(negedge clk);
    end
  endtask

  reg [3:0]  kind;
  reg [31:0] w0, w1, w2, w3, w4, w5, w6, w7, x0, x1, x2;
  reg [8*256-1:0] path;
  integer file, n;

  initial begin
    clk = 0; rst_n = 0; req_valid = 0; tbl_valid = 0; rsp_ready = 0; lfsr = 16'hACE1;
    put = 0; got = 0; wrong = 0; lines = 0;
    regs = 0;
    req_increase = 0; req_first = 0; req_rc = 0; req_rt = 0; req_dscp = 0; req_stage = 0;
    req_alpha = 0; req_delta = 0; req_marks = 0; tbl_table = 0; tbl_index = 0; tbl_wdata = 0;
    if (!$value$plusargs("vectors=%s", path)) path = "rate_unit.vec";
    file = $fopen(path, "r");
    if (file == 0) begin
      $fatal(1, "FAIL: cannot read the vectors");
    end
    repeat (4) @(negedge clk);
    rst_n = 1;
    while (!init_done) @(negedge clk);
    n = $fscanf(file, "%h %h %h %h %h %h %h %h %h %h %h %h\n",
                kind, w0, w1, w2, w3, w4, w5, w6, w7, x0, x1, x2);
    while (n == 12) begin
      lines = lines + 1;
      case (kind)
        4'd0: begin
          drain;
          regs = {w7, w6, w5, w4, w3, w2, w1, w0};
        end
        4'd1: begin
          if (!tbl_valid) drain;
          tbl_valid = 1; tbl_table = w0[2:0]; tbl_index = w1[8:0]; tbl_wdata = w2;
          @(negedge clk);
          tbl_valid = 0;
        end
        default: begin
          req_valid = 1;
          req_increase = kind == 4'd3;
          req_rc = w0; req_rt = w1;
          if (kind == 4'd3) begin
            req_dscp = w2[5:0]; req_stage = w3[1:0]; req_delta = w4[19:0];
          end else begin
            req_alpha = w2[16:0]; req_delta = w3[19:0]; req_dscp = w4[5:0]; req_marks = w5[7:0];
            req_first = w6[0];
          end
          // The consumer chose rsp_ready at this falling edge; let it reach req_ready.
          #1;
          while (!req_ready) begin
            @(negedge clk);
            #1;
          end
          expected[put % 1024] = {kind == 4'd3, x0, x1, x2};
          put = put + 1;
          @(negedge clk);
          req_valid = 0;
        end
      endcase
      n = $fscanf(file, "%h %h %h %h %h %h %h %h %h %h %h %h\n",
                  kind, w0, w1, w2, w3, w4, w5, w6, w7, x0, x1, x2);
    end
    drain;
    if (wrong == 0 && got == put && put > 0 && $feof(file))
      $display("PASS: %0d lines, %0d responses compared", lines, got);
    else
      $fatal(1, "FAIL: %0d lines, %0d of %0d responses, %0d wrong", lines, got, put, wrong);
    $finish;
  end
endmodule
