// Testbench of dcc_top_registered: every output of every cycle against dcc_top, whose inputs are those of a cycle before,
// with random inputs and accesses, back-pressure and resets.
//
// What stands between is written anew here: bytes and commands wait in two places, an access is repeated a cycle after
// its setup, and all outputs follow by a cycle. Plain Verilog with SystemVerilog modules: Verilator. Prints PASS, or
// ends with $fatal.
`timescale 1ns / 1ps
module tb_registered;
  localparam Cycles = 60000, ResetAt = 30000;

  reg         clk, rst_n, load;
  // Outer pins
  reg  [19:0] paddr;
  reg  [2:0]  pprot;
  reg  [3:0]  pstrb;
  reg         psel, penable, pwrite, cnp_valid, bytes_valid, command_valid, command_query;
  reg  [31:0] pwdata, bytes_length;
  reg  [7:0]  cnp_flow, cnp_marks, cnp_packets, bytes_flow, command_flow;
  reg  [5:0]  cnp_dscp, bytes_dscp;
  wire        pready, pslverr, irq, ready, bytes_ready, command_ready, rate_valid, rate_query, rate_bound;
  wire [31:0] prdata, rate_value;
  wire [7:0]  rate_flow;

  dcc_top_registered #(.Slots(64), .FlowW(8), .Latency(48), .BytesDepth(4), .CommandDepth(2)) dut (
    .clk_i(clk), .rst_ni(rst_n), .paddr_i(paddr), .pprot_i(pprot), .psel_i(psel), .penable_i(penable),
    .pwrite_i(pwrite), .pwdata_i(pwdata), .pstrb_i(pstrb), .pready_o(pready), .prdata_o(prdata),
    .pslverr_o(pslverr), .irq_o(irq), .ready_o(ready),
    .cnp_valid_i(cnp_valid), .cnp_flow_i(cnp_flow), .cnp_dscp_i(cnp_dscp), .cnp_marks_i(cnp_marks),
    .cnp_packets_i(cnp_packets), .bytes_valid_i(bytes_valid), .bytes_ready_o(bytes_ready),
    .bytes_flow_i(bytes_flow), .bytes_dscp_i(bytes_dscp), .bytes_length_i(bytes_length),
    .command_valid_i(command_valid), .command_ready_o(command_ready), .command_query_i(command_query),
    .command_flow_i(command_flow), .rate_valid_o(rate_valid), .rate_query_o(rate_query), .rate_bound_o(rate_bound),
    .rate_flow_o(rate_flow), .rate_value_o(rate_value)
  );

  // Reference: dcc_top behind models of what the registers hold.
  reg         r_cnp_valid;
  reg  [29:0] r_cnp;
  reg  [45:0] bytes_held [0:2];
  reg  [8:0]  command_held [0:2];
  reg  [45:0] r_bytes;    // the first of each, for ports: Verilator 5.006 does not see an element of an array change
  reg  [8:0]  r_command;
  integer     bytes_count, command_count;
  reg         r_psel, r_penable, r_pwrite;
  reg  [19:0] r_paddr;
  reg  [2:0]  r_pprot;
  reg  [3:0]  r_pstrb;
  reg  [31:0] r_pwdata;
  wire        r_pready, r_pslverr, r_irq, r_ready, r_bytes_ready, r_command_ready, r_rate_valid, r_rate_query;
  wire        r_rate_bound;
  wire [31:0] r_prdata, r_rate_value;
  wire [7:0]  r_rate_flow;
  dcc_top #(.Slots(64), .FlowW(8), .Latency(48), .BytesDepth(4), .CommandDepth(2)) reference (
    .clk_i(clk), .rst_ni(rst_n), .paddr_i(r_paddr), .pprot_i(r_pprot), .psel_i(r_psel), .penable_i(r_penable),
    .pwrite_i(r_pwrite), .pwdata_i(r_pwdata), .pstrb_i(r_pstrb), .pready_o(r_pready), .prdata_o(r_prdata),
    .pslverr_o(r_pslverr), .irq_o(r_irq), .ready_o(r_ready),
    .cnp_valid_i(r_cnp_valid), .cnp_flow_i(r_cnp[29:22]), .cnp_dscp_i(r_cnp[21:16]), .cnp_marks_i(r_cnp[15:8]),
    .cnp_packets_i(r_cnp[7:0]), .bytes_valid_i(bytes_count != 0), .bytes_ready_o(r_bytes_ready),
    .bytes_flow_i(r_bytes[45:38]), .bytes_dscp_i(r_bytes[37:32]), .bytes_length_i(r_bytes[31:0]),
    .command_valid_i(command_count != 0), .command_ready_o(r_command_ready),
    .command_query_i(r_command[0]), .command_flow_i(r_command[8:1]),
    .rate_valid_o(r_rate_valid), .rate_query_o(r_rate_query), .rate_bound_o(r_rate_bound),
    .rate_flow_o(r_rate_flow), .rate_value_o(r_rate_value)
  );

  // Expected outputs: those of the reference a cycle before.
  reg         x_pready, x_pslverr, x_irq, x_ready, x_rate_valid, x_started;
  reg  [31:0] x_prdata;
  reg  [41:0] x_rate;
  integer     cycle, answers, reads, refusals, waits, sampled, resets;
  reg  [63:0] state;
  reg  [31:0] setup;

  function [31:0] below(input [31:0] limit);
    begin
      state = state * 64'd6364136223846793005 + 64'd1442695040888963407;
      below = state[63:33] % limit;
    end
  endfunction
  task bad(input [8*24-1:0] what);
    $fatal(1, "FAIL: cycle %0d: %0s", cycle, what);
  endtask

  // Compares, then moves the models of the registers on, before the edge at which the blocks do.
  task compare;
    begin
      if (ready !== x_ready) bad("ready_o");
      if (irq !== x_irq) bad("irq_o");
      if (pready !== x_pready || pslverr !== x_pslverr) bad("pready_o or pslverr_o");
      if (x_pready && !pwrite && prdata !== x_prdata) bad("prdata_o");
      if (rate_valid !== x_rate_valid) bad("rate_valid_o");
      if (rate_valid && {rate_query, rate_bound, rate_flow, rate_value} !== x_rate) bad("an answer");
      if (bytes_ready !== (x_started && bytes_count < 2)) bad("bytes_ready_o");
      if (command_ready !== (x_started && command_count < 2)) bad("command_ready_o");
      if (rate_valid) answers = answers + 1;
      if (pready && psel && penable) reads = reads + 1;
      if (pslverr) refusals = refusals + 1;
      if (bytes_valid && !bytes_ready) waits = waits + 1;
    end
  endtask

  reg bytes_out, bytes_in, command_out, command_in, access_over;
  task move;
    begin
      x_ready = r_ready;
      x_irq = r_irq;
      x_rate_valid = r_rate_valid;
      x_rate = {r_rate_query, r_rate_bound, r_rate_flow, r_rate_value};
      access_over = r_psel && r_penable && r_pready;
      x_pready = access_over;
      x_pslverr = access_over && r_pslverr;
      if (access_over) x_prdata = r_prdata;
      bytes_out = bytes_count != 0 && r_bytes_ready;
      bytes_in = bytes_valid && bytes_ready;
      command_out = command_count != 0 && r_command_ready;
      command_in = command_valid && command_ready;
    end
  endtask
  task follow;  // after the edge
    begin
      r_cnp_valid = cnp_valid;
      r_cnp = {cnp_flow, cnp_dscp, cnp_marks, cnp_packets};
      if (bytes_out) begin
        bytes_held[0] = bytes_held[1];
        bytes_count = bytes_count - 1;
        sampled = sampled + 1;
      end
      if (bytes_in) begin
        bytes_held[bytes_count] = {bytes_flow, bytes_dscp, bytes_length};
        bytes_count = bytes_count + 1;
      end
      if (command_out) begin
        command_held[0] = command_held[1];
        command_count = command_count - 1;
      end
      if (command_in) begin
        command_held[command_count] = {command_flow, command_query};
        command_count = command_count + 1;
      end
      r_bytes = bytes_held[0];
      r_command = command_held[0];
      r_penable = r_psel && !access_over;
      if (access_over) r_psel = 0;
      if (psel && !penable) begin
        r_psel = 1;
        r_paddr = paddr; r_pprot = pprot; r_pwrite = pwrite; r_pwdata = pwdata; r_pstrb = pstrb;
      end
      x_started = 1;
    end
  endtask

  task begin_access(input write, input [31:0] address, input [31:0] data);
    begin
      psel = 1; penable = 0; pwrite = write; paddr = address[19:0]; pwdata = data; pprot = below(8);
      pstrb = write && below(20) == 0 ? below(16) : 4'hF;
    end
  endtask
  reg ended;
  task drive;
    begin
      if (ended) begin
        psel = 0;
        penable = 0;
      end else if (psel) penable = 1;
      if (!psel) begin
        setup = setup + 1;
        if (setup == 1) begin_access(1, 'h20, 16);             // TICK_DIV
        else if (setup == 2) begin_access(1, 'h24, 20);        // TIMER_INTERVAL
        else if (setup == 3) begin_access(1, 'h28, 20000);     // BYTE_THRESHOLD
        else if (setup <= 67) begin_access(1, 'h1000 + 4 * (setup - 4), 'h1000_0100);    // FACTOR
        else if (setup <= 131) begin_access(1, 'h1200 + 4 * (setup - 68), 32'hFFFFFFFF); // CEILING
        else if (setup <= 388) begin_access(1, 'h2000 + 4 * (setup - 132), 65536 - 128 * (setup - 132));
        else if (setup == 389) begin_access(1, 'h0C, 'h2D);    // CTRL
        else if (below(30) == 0) begin
          case (below(6))
            0: begin_access(0, 4 * below(64), 0);
            1: begin_access(0, 'h3000 + 4 * below(34), 0);
            2: begin_access(1, 'h80000 + 4 * below(512), 0);  // slots are read-only
            3: begin_access(0, 'h80000 + 4 * below(512), 0);
            4: if (below(40) == 0) begin_access(1, 'h0C, 'h2F);  // soft reset
            default: begin_access(1, 'h1000 + 4 * below(64), 'h0800_0040 + below(512));
          endcase
        end
      end
      load = setup > 389;
      cnp_valid = load && below(12) == 0;
      cnp_flow = below(96); cnp_dscp = below(64); cnp_marks = below(4); cnp_packets = below(32);
      if (!bytes_valid || bytes_in || below(50) == 0) begin
        bytes_valid = load && below(3) != 0;
        bytes_flow = below(96); bytes_dscp = below(64); bytes_length = below(9000);
      end
      if (!command_valid || command_in) begin
        command_valid = load && below(20) == 0;
        command_query = below(4) != 0; command_flow = below(96);
      end
    end
  endtask

  task reset;
    begin
      rst_n = 0;
      {psel, penable, pwrite, cnp_valid, bytes_valid, command_valid, command_query} = 0;
      {paddr, pprot, pstrb, pwdata, bytes_length, cnp_flow, cnp_marks, cnp_packets, bytes_flow, command_flow} = 0;
      {cnp_dscp, bytes_dscp} = 0;
      r_cnp_valid = 0; r_cnp = 0; bytes_count = 0; command_count = 0; r_psel = 0; r_penable = 0; r_pwrite = 0;
      r_paddr = 0; r_pprot = 0; r_pstrb = 0; r_pwdata = 0;
      {bytes_held[0], bytes_held[1], command_held[0], command_held[1], r_bytes, r_command} = 0;
      {x_pready, x_pslverr, x_irq, x_ready, x_rate_valid, x_started, bytes_in, command_in, ended} = 0;
      setup = 0;
      resets = resets + 1;
      #1;
      if (ready !== 0 || irq !== 0 || pready !== 0 || pslverr !== 0 || rate_valid !== 0 || bytes_ready !== 0 ||
          command_ready !== 0) bad("an output in reset");
      repeat (3) begin
        #1 clk = 1;
        #2 clk = 0;
        #1;
      end
      rst_n = 1;
      #1;
    end
  endtask

  initial begin
    clk = 0; state = 1; answers = 0; reads = 0; refusals = 0; waits = 0; sampled = 0; cycle = 0; resets = 0; rst_n = 1;
    #1;
    reset;
    while (cycle < Cycles) begin
      if (cycle == ResetAt) reset;
      #1;
      compare;
      move;
      ended = psel && penable && pready;
      #1 clk = 1;
      #1;
      follow;
      drive;
      #1 clk = 0;
      #1;
      cycle = cycle + 1;
    end
    if (answers > 2000 && reads > 1000 && refusals > 100 && waits > 1000 && sampled > 5000 && resets == 2)
      $display("PASS: %0d cycles, %0d answers, %0d accesses, %0d refused, %0d cycles of back-pressure", cycle, answers,
               reads, refusals, waits);
    else
      $fatal(1, "FAIL: too little happens: %0d answers, %0d accesses, %0d refused, %0d waits, %0d sampled", answers,
             reads, refusals, waits, sampled);
    $finish;
  end
endmodule
