// Testbench: plays golden vectors to the whole controller and compares all answers, cycle by cycle. Plain
// Verilog-2001.
//
//   iverilog -o tb tb_controller.v controller_dut.v && vvp tb +vectors=controller.vec +runs=2
//   (check.sh has it run on the SystemVerilog as well, with Verilator)
//
// Format of a line of the vectors: see vectors/README.md. +runs=N stops after N runs (0: all runs); +sweep=N
// is the number of cycles of the sweep, if it differs from the vectors' (SparseFlows); +caps=N gives the bits
// of CAPS in which the block differs from the vectors (Secded). Compiled with SECDED (Verilator only): in
// each run every word of every memory that corrects bits loses a bit, and the answers stay the same. The
// testbench checks every output in every cycle: an X at an output is an error. Prints PASS, or ends with
// $fatal, which makes a simulator's exit status differ from 0.
`timescale 1ns / 1ps
module tb_controller;
  reg         clk, rst_n;
  reg  [19:0] paddr;
  reg         psel, penable, pwrite;
  reg  [31:0] pwdata;
  reg         cnp_valid, bytes_valid, command_valid, command_query;
  reg  [7:0]  cnp_flow, cnp_marks, cnp_packets, bytes_flow, command_flow;
  reg  [5:0]  cnp_dscp, bytes_dscp;
  reg  [31:0] bytes_length;
  wire        pready, pslverr, irq, ready, bytes_ready, command_ready;
  wire [31:0] prdata, rate_value;
  wire        rate_valid, rate_query, rate_bound;
  wire [7:0]  rate_flow;

  controller_dut dut (
    .clk_i(clk), .rst_ni(rst_n), .paddr_i(paddr), .psel_i(psel), .penable_i(penable),
    .pwrite_i(pwrite), .pwdata_i(pwdata), .pready_o(pready), .prdata_o(prdata),
    .pslverr_o(pslverr), .irq_o(irq), .ready_o(ready),
    .cnp_valid_i(cnp_valid), .cnp_flow_i(cnp_flow), .cnp_dscp_i(cnp_dscp),
    .cnp_marks_i(cnp_marks), .cnp_packets_i(cnp_packets),
    .bytes_valid_i(bytes_valid), .bytes_ready_o(bytes_ready), .bytes_flow_i(bytes_flow),
    .bytes_dscp_i(bytes_dscp), .bytes_length_i(bytes_length),
    .command_valid_i(command_valid), .command_ready_o(command_ready),
    .command_query_i(command_query), .command_flow_i(command_flow),
    .rate_valid_o(rate_valid), .rate_query_o(rate_query), .rate_bound_o(rate_bound),
    .rate_flow_o(rate_flow), .rate_value_o(rate_value)
  );

`ifdef KNOWN
  dcc_top_known_sva #(.FlowW(8)) u_known (
    .clk_i(clk), .rst_ni(rst_n), .psel_i(psel), .penable_i(penable), .pwrite_i(pwrite), .pready_o(pready),
    .prdata_o(prdata), .pslverr_o(pslverr), .irq_o(irq), .ready_o(ready), .bytes_ready_o(bytes_ready),
    .command_ready_o(command_ready), .rate_valid_o(rate_valid), .rate_query_o(rate_query),
    .rate_bound_o(rate_bound), .rate_flow_o(rate_flow), .rate_value_o(rate_value)
  );
`endif

  reg [8*256-1:0] path;
  reg [31:0] caps;
  integer file, n, k, max_runs, runs, wrong, answers, reads, swept, sweep;
  reg     over, more;
  reg [31:0] cycles, total;       // cycles of this run; cycles of all earlier runs
  reg [31:0] at, op, a, b, c, d, e;  // words of the next line of the vectors
  // Expected outputs of the controller in this cycle.
  reg        exp_ready, exp_bytes, exp_bytes_ready, exp_command, exp_command_ready, exp_answer;
  reg        exp_query, exp_bound, exp_compare;
  reg [31:0] exp_flow, exp_rate, exp_data, exp_done;

  task next_line;
    begin
      n = $fscanf(file, "%h %h %h %h %h %h %h\n", at, op, a, b, c, d, e);
      more = n == 7;
    end
  endtask

  task idle;  // sets the inputs of a cycle without a line
    begin
      cnp_valid = 0; cnp_flow = 0; cnp_dscp = 0; cnp_marks = 0; cnp_packets = 0;
      bytes_valid = 0; bytes_flow = 0; bytes_dscp = 0; bytes_length = 0;
      command_valid = 0; command_query = 0; command_flow = 0;
      exp_bytes = 0; exp_command = 0; exp_answer = 0;
    end
  endtask

  task bad(input [8*40-1:0] what);
    begin
      wrong = wrong + 1;
      if (wrong <= 10) $display("run %0d cycle %0d: %0s", runs, cycles, what);
    end
  endtask

  task clock;
    begin
      #1 clk = 1;
      #2 clk = 0;
      #1;
    end
  endtask

  task reset;
    begin
      idle;
      psel = 0; penable = 0; pwrite = 0; paddr = 0; pwdata = 0;
      rst_n = 0;
      for (k = 0; k < 3; k = k + 1) clock;
      rst_n = 1;
      swept = 0;
      #1;
      while (ready !== 1'b1 && swept < 100000) begin
        if (rate_valid !== 1'b0) bad("an answer during the sweep");
        clock;
        swept = swept + 1;
      end
      if (swept != (sweep != 0 ? sweep : a)) bad("the sweep takes another number of cycles");
      exp_ready = 1;
      exp_compare = 0;
      total = total + cycles;
      cycles = 0;
      runs = runs + 1;
    end
  endtask

`ifdef SECDED
`define LOSE(PLACE) \
    for (k = 0; k < $size(PLACE.u_ram.u_array.mem); k = k + 1) \
      PLACE.u_ram.u_array.mem[k] <= PLACE.u_ram.u_array.mem[k] ^ \
        ($bits(PLACE.u_ram.u_array.mem[0])'(1) << ((37 * runs + k) % $bits(PLACE.u_ram.u_array.mem[0])));
`define LOOKUP dut.u_top.u_manager.u_lookup
  task lose;  // inverts one bit of every word, another bit in each word and run
    begin
      `LOSE(`LOOKUP.g_direct.u_flows.u_slot_of)
      `LOSE(`LOOKUP.g_direct.u_flows.u_flow_of)
      `LOSE(`LOOKUP.u_free.u_list)
      `LOSE(`LOOKUP.u_store)
      `LOSE(dut.u_top.u_manager.u_limits.u_floor)
      `LOSE(dut.u_top.u_manager.u_limits.u_ceiling)
      `LOSE(dut.u_top.u_manager.u_rate.u_tables.u_factor)
      `LOSE(dut.u_top.u_manager.u_rate.u_tables.u_floor)
      `LOSE(dut.u_top.u_manager.u_rate.u_tables.u_ceiling)
      `LOSE(dut.u_top.u_manager.u_commands.u_ram)
      `LOSE(dut.u_top.u_manager.u_timers.u_wheel.u_records.u_record)
      `LOSE(dut.u_top.u_manager.u_timers.u_wheel.u_last.u_leaf)
      `LOSE(dut.u_top.u_manager.u_beside.u_ring)
      `LOSE(dut.u_top.u_manager.u_cnps.u_ram)
      `LOSE(dut.u_top.u_manager.u_timers.u_first.u_ram)
      `LOSE(dut.u_top.u_manager.u_timers.u_again.u_ram)
      `LOSE(dut.u_top.u_manager.u_answers.g_ring.u_delay.u_ring)
      `LOSE(dut.u_top.u_manager.u_rate.u_tables.u_decay_hi)
      `LOSE(dut.u_top.u_manager.u_rate.u_tables.u_decay_lo)
      `LOSE(dut.u_top.u_manager.u_rate.u_tables.u_decrease_even)
      `LOSE(dut.u_top.u_manager.u_rate.u_tables.u_decrease_odd)
      `LOSE(dut.u_top.u_manager.u_timers.u_wheel.u_lists.u_next)
      `LOSE(dut.u_top.u_manager.u_timers.u_wheel.u_lists.u_list)
      `LOSE(dut.u_top.u_manager.u_timers.u_wheel.u_last.u_summary)
    end
  endtask
`endif

  task apply;  // applies one line of the vectors to the inputs
    begin
      case (op)
        1: begin
          cnp_valid = 1; cnp_flow = a[7:0]; cnp_dscp = b[5:0]; cnp_marks = c[7:0];
          cnp_packets = d[7:0];
        end
        2: begin
          bytes_valid = 1; bytes_flow = a[7:0]; bytes_dscp = b[5:0]; bytes_length = c;
          exp_bytes = 1; exp_bytes_ready = d[0];
        end
        3: begin
          command_valid = 1; command_flow = a[7:0]; command_query = b[0];
          exp_command = 1; exp_command_ready = c[0];
        end
        4, 5: begin
          if (psel) bad("the access before is not over");
          psel = 1; penable = 0; pwrite = op == 4; paddr = a[19:0]; pwdata = (op == 4) ? b : 0;
          exp_data = b; exp_done = c; exp_compare = c[0];
        end
        6: begin
          exp_answer = 1; exp_flow = a; exp_rate = b; exp_query = c[0]; exp_bound = d[0];
        end
        7: exp_ready = a[0];
        8: over = 1;
        default: bad("a line that nobody knows");
      endcase
    end
  endtask

  task compare;
    begin
      if (ready !== exp_ready) bad("ready_o");
      if (irq !== 1'b0 && irq !== 1'b1) bad("irq_o is X");
      if (command_ready !== 1'b0 && command_ready !== 1'b1) bad("command_ready_o is X");
      if (bytes_ready !== 1'b0 && bytes_ready !== 1'b1) bad("bytes_ready_o is X");
      if (exp_bytes && bytes_ready !== exp_bytes_ready) bad("bytes_ready_o");
      if (exp_command && command_ready !== exp_command_ready) bad("command_ready_o");
      if (rate_valid !== exp_answer) bad("an answer too many or too few");
      else if (exp_answer) begin
        answers = answers + 1;
        if (rate_flow !== exp_flow[7:0] || rate_query !== exp_query || rate_bound !== exp_bound ||
            (exp_bound ? rate_value !== exp_rate : (^rate_value) === 1'bx)) begin
          bad("an answer");
          if (wrong <= 10)
            $display("  flow %h query %b bound %b rate %h, wanted %h %b %b %h", rate_flow, rate_query,
                     rate_bound, rate_value, exp_flow, exp_query, exp_bound, exp_rate);
        end
      end
      if (psel && penable) begin
        if (pready !== 1'b0 && pready !== 1'b1) bad("pready_o is X");
        if (pready === 1'b1) begin
          if (pslverr !== 1'b0) bad("pslverr_o");
          if (pwrite && cycles != exp_done) bad("a write acts in another cycle");
          if (!pwrite && (^prdata) === 1'bx) bad("prdata_o is X");
          if (!pwrite && exp_compare && prdata !== (exp_data ^ (paddr == 20'h8 ? caps : 32'd0))) bad("prdata_o");
          if (!pwrite && exp_compare) reads = reads + 1;
        end
      end
    end
  endtask

  initial begin
    clk = 0; rst_n = 1; cycles = 0; total = 0; wrong = 0; answers = 0; reads = 0; runs = 0;
    over = 0;
    if (!$value$plusargs("vectors=%s", path)) path = "controller.vec";
    if (!$value$plusargs("runs=%d", max_runs)) max_runs = 0;
    if (!$value$plusargs("sweep=%d", sweep)) sweep = 0;
    if (!$value$plusargs("caps=%h", caps)) caps = 0;
    file = $fopen(path, "r");
    if (file == 0) begin
      $fatal(1, "FAIL: cannot read the vectors");
    end
    idle;
    psel = 0; penable = 0; pwrite = 0; paddr = 0; pwdata = 0;
    next_line;
    while (more && wrong < 100 && (max_runs == 0 || runs < max_runs || !over)) begin
      if (op == 0) begin
        reset;
        over = 0;
        next_line;
      end
      while (more && !over && wrong < 100) begin
        idle;
        while (more && !over && at == cycles) begin
          apply;
          next_line;
        end
        if (!over) begin  // the vectors do not define the outputs after their last cycle
          #1;
          compare;
          clock;
`ifdef SECDED
          if (cycles == 1900) lose;
`endif
          // State of the APB bus after the clock edge.
          if (psel && penable && pready_q) begin
            psel = 0; penable = 0;
          end else if (psel) penable = 1;
          cycles = cycles + 1;
        end
      end
    end
    total = total + cycles;
    if (wrong == 0 && answers > 0 && reads > 0 && over && (max_runs != 0 || $feof(file)))
      $display("PASS: %0d runs, %0d cycles, %0d answers, %0d reads", runs, total, answers, reads);
    else
      $fatal(1, "FAIL: %0d runs, %0d cycles, %0d answers, %0d wrong", runs, total, answers, wrong);
    $finish;
  end

  // PREADY as it was before the clock edge.
  reg pready_q;
  always @(posedge clk) pready_q <= pready === 1'b1;
endmodule
