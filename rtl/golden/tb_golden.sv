// The whole controller against the golden model, with random inputs and accesses: an example of the
// model's use in a bench. Verilator calls it by DPI, Icarus by VPI (dcc_golden_vpi.c).
//
// +cycles=N: number of cycles, default 20000 (the set-up takes 1800); +seed=N: seed of the random inputs, default 1
//
// Prints PASS, or ends with $fatal, which makes the simulator's exit status differ from 0.
`timescale 1ns / 1ps
`ifdef __ICARUS__
`define GOLDEN(name) $dcc_golden_``name
`else
`define GOLDEN(name) dcc_golden_pkg::dcc_golden_``name
`endif
module tb_golden;
  localparam [31:0] Slots = 64, Latency = 48, SlotsOffset = 'h80000;
  // Accesses that set the block up: short ticks and intervals, rates from 10 Mb/s to 100 Gb/s, every factor 1.0, no
  // floor, no ceiling, cuts of up to a half, controller enabled. Other registers keep their reset values; tables have
  // no reset values.
  localparam [31:0] Ctrl = 'h0C, Factor = 'h1000, Floor = 'h1100, Ceiling = 'h1200,
                          Decrease = 'h2000, DecayHi = 'h1300, DecayLo = 'h1400,
                    FreeSlots = 'hA0;

  reg         clk = 0, rst_n = 0;
  reg  [19:0] paddr = 0;
  reg         psel = 0, penable = 0, pwrite = 0;
  reg  [31:0] pwdata = 0;
  reg         cnp_valid = 0, bytes_valid = 0, command_valid = 0, command_query = 0;
  reg  [7:0]  cnp_flow = 0, cnp_marks = 0, cnp_packets = 0, bytes_flow = 0, command_flow = 0;
  reg  [5:0]  cnp_dscp = 0, bytes_dscp = 0;
  reg  [31:0] bytes_length = 0;
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

`ifdef __ICARUS__
  integer golden;
`else
  chandle golden;
`endif
  reg  [63:0] cycle = 0, state, when;
  reg  [31:0] kind, flow, rate, word, expected, bound_flow;
  integer     cycles, seed, result, wrong = 0, answers = 0, reads = 0, first = 0, setup = 0;
  reg         running = 0, refused, compared, ended = 0, over = 0;

  always #2 clk = !clk;

  task bad(input [8*40-1:0] what);
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
    result = `GOLDEN(answer)(golden, cycle, when, kind, flow, rate);
    if (rate_valid !== (result == 1)) bad("an answer too many or too few");
    else if (result == 1) begin
      answers = answers + 1;
      if (when != cycle || rate_flow !== flow[7:0] || rate_query !== (kind != 0) ||
          rate_bound !== (kind != 2) || (kind != 2 && rate_value !== rate)) begin
        bad("another answer");
      end
    end
    if (cnp_valid) begin
      result = `GOLDEN(cnp)(golden, cycle, {24'b0, cnp_flow}, {26'b0, cnp_dscp}, {24'b0, cnp_marks},
                            {24'b0, cnp_packets});
    end
    if (bytes_valid && bytes_ready) begin
      result = `GOLDEN(bytes)(golden, cycle, {24'b0, bytes_flow}, {26'b0, bytes_dscp}, bytes_length);
    end
    if (command_valid && command_ready) begin
      if (command_query) result = `GOLDEN(query)(golden, cycle, {24'b0, command_flow});
      else result = `GOLDEN(release)(golden, cycle, {24'b0, command_flow});
    end
    if (psel && !penable) begin
      if (pwrite) result = `GOLDEN(write)(golden, cycle, {12'b0, paddr}, pwdata);
      else result = `GOLDEN(read)(golden, cycle, {12'b0, paddr}, expected);
      refused = result != 0;
      // While events are under way, counters and state registers are some cycles old, and the hardware shows a free
      // slot's previous contents, so the bench does not compare these reads.
      compared = !pwrite && ({12'b0, paddr} < FreeSlots || {12'b0, paddr} >= SlotsOffset);
      if (compared && {12'b0, paddr} >= SlotsOffset && paddr[4:0] != 0 && !refused) begin
        word = ({12'b0, paddr} - SlotsOffset) / 32;
        compared = `GOLDEN(slot)(golden, cycle, word, bound_flow) == 1;
      end
    end
    ended = psel && penable && pready;
    if (ended) begin
      if (pslverr !== refused) bad("pslverr_o");
      else if (compared && prdata !== expected) begin
        bad("prdata_o");
        $display("  address %h: %h, the model says %h", paddr, prdata, expected);
      end
      else if (compared) reads = reads + 1;
    end
    cycle = cycle + 1;
    over = cycle == cycles || wrong >= 10;
  end

  // Bus accesses: first those of the set-up, later random ones.
  task begin_access(input write, input [31:0] address, input [31:0] data);
    begin
      psel = 1; penable = 0; pwrite = write; paddr = address[19:0]; pwdata = data;
    end
  endtask
  always @(negedge clk) if (running) begin
    if (ended) begin
      ended = 0;
      psel = 0;
      penable = 0;
    end else if (psel) penable = 1;
    if (!psel) begin
      if (setup == 0) begin
        case (first)
          0: begin_access(1, 'h20, 16);              // writes register TICK_DIV
          1: begin_access(1, 'h24, 20);              // writes register TIMER_INTERVAL
          2: begin_access(1, 'h28, 20000);           // writes register BYTE_THRESHOLD
          3: begin_access(1, 'h34, 40 * 256);        // writes register R_AI
          4: begin_access(1, 'h38, 400 * 256);       // writes register R_HAI
          5: begin_access(1, 'h40, 10 * 256);        // writes register R_MIN
          6: begin_access(1, 'h44, 100000 * 256);    // writes register R_MAX
          default: begin_access(1, 'h48, 100000 * 256);  // writes register INITIAL_RATE
        endcase
        first = first + 1;
      end
      else if (setup <= 64) begin_access(1, Factor + 4 * (setup - 1), 'h1000_0100);
      else if (setup <= 128) begin_access(1, Floor + 4 * (setup - 65), 0);
      else if (setup <= 192) begin_access(1, Ceiling + 4 * (setup - 129), 32'hFFFFFFFF);
      else if (setup <= 449) begin_access(1, Decrease + 4 * (setup - 193), 65536 - 128 * (setup - 193));
      else if (setup <= 513) begin_access(1, DecayHi + 4 * (setup - 450), 65536 - 1024 * (setup - 450));
      else if (setup <= 577) begin_access(1, DecayLo + 4 * (setup - 514), 65536 - 16 * (setup - 514));
      else if (setup == 578) begin_access(1, Ctrl, 1 + 4 + 'h20 + (below(2) << 3));
      else if (below(40) == 0) begin
        case (below(5))
          0: begin_access(0, 4 * below(48), 0);           // reads registers and unmapped addresses
          1: begin_access(0, 'h3000 + 4 * below(34), 0);  // reads statistics counters
          2: begin_access(1, SlotsOffset + 4 * below(8 * Slots), 0);  // writes to slots, which are read-only
          3: begin_access(0, SlotsOffset + 4 * below(8 * Slots), 0);
          default: begin_access(1, Factor + 4 * below(64), 'h0800_0040 + (below('h2000) << 16) + below('h200));
        endcase
      end
      if (first == 8) setup = setup + 1;
    end
    cnp_valid = setup > 578 && below(12) == 0;
    cnp_flow = below(96); cnp_dscp = below(64); cnp_marks = below(4); cnp_packets = below(32);
    bytes_valid = setup > 578 && below(3) == 0;
    bytes_flow = below(96); bytes_dscp = below(64); bytes_length = below(9000);
    command_valid = setup > 578 && below(60) == 0;
    command_query = below(4) != 0; command_flow = below(96);
  end

  initial begin
    if (!$value$plusargs("cycles=%d", cycles)) cycles = 20000;
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    state = {32'b0, seed};
    golden = `GOLDEN(new)(Slots, Latency);
    repeat (4) @(negedge clk);
    rst_n = 1;
    while (ready !== 1'b1) begin
      @(negedge clk);
      #1;
    end
    running = 1;
    while (!over) @(negedge clk);
    if (wrong == 0 && answers > cycles / 200 && reads > (cycles - 2000) / 1000)
      $display("PASS: %0d cycles, %0d answers, %0d reads", cycles, answers, reads);
    else
      $fatal(1, "FAIL: %0d cycles, %0d answers, %0d reads, %0d wrong", cycle, answers, reads, wrong);
    $finish;
  end
endmodule
