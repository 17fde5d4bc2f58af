// Testbench of the whole controller's registers as software sees them: values after reset, refused accesses,
// locks, interrupts, counters. It reaches into the block for carries of counters, memories that lose a bit, and a wheel
// that falls behind: in Verilator, and compiled with INSIDE on a netlist with hierarchy in another simulator. All other
// parts are plain Verilog-2001.
//
//   iverilog -o tb tb_registers.v controller_dut.v && vvp tb +vectors=registers.vec
//   iverilog -g2012 -DINSIDE -o tb tb_registers.v hierarchy.v && vvp tb +vectors=registers_inside.vec
//
// Compiled with SECDED for registers_secded.vec, the vectors of a block whose memories correct bits (Verilator), and
// with REBUILD, too, for registers_rebuild.vec, those of a block that recovers by itself.
// vectors/README.md has the format of a line. Prints PASS, or ends with $fatal.
`timescale 1ns / 1ps
module tb_registers;
  reg         clk, rst_n, psel, penable, pwrite, cnp_valid, bytes_valid, command_valid;
  reg  [19:0] paddr;
  reg  [31:0] pwdata, bytes_length;
  reg  [7:0]  flow, marks;
  wire        pready, pslverr, irq, ready, bytes_ready, command_ready, rate_valid, rate_query, rate_bound;
  wire [31:0] prdata, rate_value;
  wire [7:0]  rate_flow;

  controller_dut dut (
    .clk_i(clk), .rst_ni(rst_n), .paddr_i(paddr), .psel_i(psel), .penable_i(penable), .pwrite_i(pwrite),
    .pwdata_i(pwdata), .pready_o(pready), .prdata_o(prdata), .pslverr_o(pslverr), .irq_o(irq), .ready_o(ready),
    .cnp_valid_i(cnp_valid), .cnp_flow_i(flow), .cnp_dscp_i(6'd0), .cnp_marks_i(marks), .cnp_packets_i(8'd0),
    .bytes_valid_i(bytes_valid), .bytes_ready_o(bytes_ready), .bytes_flow_i(flow), .bytes_dscp_i(6'd0),
    .bytes_length_i(bytes_length), .command_valid_i(command_valid), .command_ready_o(command_ready),
    .command_query_i(1'b1), .command_flow_i(flow), .rate_valid_o(rate_valid), .rate_query_o(rate_query),
    .rate_bound_o(rate_bound), .rate_flow_o(rate_flow), .rate_value_o(rate_value)
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
  reg [31:0]      op, a, b, c;
  reg             over, late, again;
  reg  [63:0]     near;
  integer         file, n, i, line, wrong, cycles, most;
  reg  [31:0]     told;  // number of rates at the rate port since the last reset by the pin, without queries
  reg  [32:0]     last [0:255];  // last rate of each flow at the rate port, without queries, and its bound bit

  task bad(input [8*40-1:0] what);
    begin
      wrong = wrong + 1;
      if (wrong <= 20)
        $display("line %0d (%0h %h %h %h): %0s: reads %h, pslverr %b, irq %b, ready %b", line, op, a, b, c, what,
                 prdata, pslverr, irq, ready);
    end
  endtask

  // Inverts bit b of every word of memory a; with b = fff all words become zeros.
`ifdef VERILATOR
`define INSIDE
`define FLOWS `MANAGER.u_lookup.g_direct.u_flows
`define ONE(MEMORY) $bits(MEMORY[0])'(1)
`else
`define FLOWS `MANAGER.u_lookup.\g_direct.u_flows
`define ONE(MEMORY) 512'd1
`endif
`ifdef INSIDE
`define MANAGER dut.u_top.u_manager
`define STATISTICS `MANAGER.u_status.u_statistics
`define NEAR(NUMBER, NAME) NUMBER: `STATISTICS.NAME <= near;
`define LOSE(NUMBER, PLACE) \
    NUMBER: for (i = 0; i < $size(PLACE.u_ram.u_array.mem); i = i + 1) \
      PLACE.u_ram.u_array.mem[i] <= b == 'hFFF ? 0 : \
        PLACE.u_ram.u_array.mem[i] ^ (`ONE(PLACE.u_ram.u_array.mem) << b);
`define LOSE_SOME(NUMBER, PLACE) \
    NUMBER: for (i = 0; i < $size(PLACE.u_ram.u_array.mem); i = i + 1) \
      if (op == 17 || i == c) \
        PLACE.u_ram.u_array.mem[i] <= PLACE.u_ram.u_array.mem[i] ^ \
          ($bits(PLACE.u_ram.u_array.mem[0])'(1) << ((b + (op == 17 ? i : 0)) % $bits(PLACE.u_ram.u_array.mem[0])));
`endif
  task lose;
    begin
`ifdef INSIDE
      case (a)
        `LOSE(0, `FLOWS .u_slot_of)
        `LOSE(1, `FLOWS .u_flow_of)
        `LOSE(2, `MANAGER.u_lookup.u_free.u_list)
        `LOSE(3, `MANAGER.u_lookup.u_store)
        `LOSE(4, `MANAGER.u_limits.u_floor)
        `LOSE(5, `MANAGER.u_limits.u_ceiling)
        `LOSE(6, `MANAGER.u_rate.u_tables.u_factor)
        `LOSE(7, `MANAGER.u_rate.u_tables.u_floor)
        `LOSE(8, `MANAGER.u_rate.u_tables.u_ceiling)
        `LOSE(9, `MANAGER.u_commands.u_ram)
        `LOSE(10, `MANAGER.u_timers.u_wheel.u_records.u_record)
        `LOSE(11, `MANAGER.u_timers.u_wheel.u_last.u_leaf)
        `LOSE(12, `MANAGER.u_beside.u_ring)
        default: bad("a memory that nobody knows");
      endcase
`else
      over = 1;
`endif
    end
  endtask

  // Inverts bit b of word c of memory a (op 16), or bit b + i of every word i of memory a (op 17).
  task lose_some;
    begin
`ifdef SECDED
      case (a)
        `LOSE_SOME(0, `FLOWS .u_slot_of)
        `LOSE_SOME(1, `FLOWS .u_flow_of)
        `LOSE_SOME(2, `MANAGER.u_lookup.u_free.u_list)
        `LOSE_SOME(3, `MANAGER.u_lookup.u_store)
        `LOSE_SOME(4, `MANAGER.u_limits.u_floor)
        `LOSE_SOME(5, `MANAGER.u_limits.u_ceiling)
        `LOSE_SOME(6, `MANAGER.u_rate.u_tables.u_factor)
        `LOSE_SOME(7, `MANAGER.u_rate.u_tables.u_floor)
        `LOSE_SOME(8, `MANAGER.u_rate.u_tables.u_ceiling)
        `LOSE_SOME(9, `MANAGER.u_commands.u_ram)
        `LOSE_SOME(10, `MANAGER.u_timers.u_wheel.u_records.u_record)
        `LOSE_SOME(11, `MANAGER.u_timers.u_wheel.u_last.u_leaf)
        `LOSE_SOME(12, `MANAGER.u_beside.u_ring)
        `LOSE_SOME(13, `MANAGER.u_cnps.u_ram)
        `LOSE_SOME(14, `MANAGER.u_timers.u_first.u_ram)
        `LOSE_SOME(15, `MANAGER.u_timers.u_again.u_ram)
        `LOSE_SOME(16, `MANAGER.u_answers.g_ring.u_delay.u_ring)
        `LOSE_SOME(17, `MANAGER.u_rate.u_tables.u_decay_hi)
        `LOSE_SOME(18, `MANAGER.u_rate.u_tables.u_decay_lo)
        `LOSE_SOME(19, `MANAGER.u_rate.u_tables.u_decrease_even)
        `LOSE_SOME(20, `MANAGER.u_rate.u_tables.u_decrease_odd)
        `LOSE_SOME(21, `MANAGER.u_timers.u_wheel.u_lists.u_next)
        `LOSE_SOME(22, `MANAGER.u_timers.u_wheel.u_lists.u_list)
        `LOSE_SOME(23, `MANAGER.u_timers.u_wheel.u_last.u_summary)
        default: bad("a memory that nobody knows");
      endcase
`else
      over = 1;
`endif
    end
  endtask

  // Sets statistic a to 2^b - 1, so that its next step carries. Numbers 32, 33 and 34 stand for
  // MEMORY_ERRORS, MEMORY_CORRECTED and both halves of MEMORY_LOST, which saturate and are set to 0xFFFE.
  task fill;
    begin
`ifdef INSIDE
      near = b == 64 ? {64{1'b1}} : (64'd1 << b) - 64'd1;
      case (a)
        `NEAR(0, cnps_received_o)
        `NEAR(1, cnps_dropped_no_slot_o)
        `NEAR(2, cnps_coalesced_o)
        `NEAR(3, byte_notifications_o)
        `NEAR(4, byte_notifications_unmatched_o)
        `NEAR(5, rate_decreases_o)
        `NEAR(6, rate_increases_o)
        `NEAR(7, rate_updates_o)
        `NEAR(8, timer_events_o)
        `NEAR(9, events_started_o)
        `NEAR(10, events_cancelled_o)
        `NEAR(11, slots_bound_o)
        `NEAR(12, slots_released_o)
        `NEAR(14, missed_latency_o)
        `NEAR(15, cnps_lost_o)
        `NEAR(16, inputs_dropped_o)
        32: `MANAGER.u_status.u_fault.count_q <= 16'hFFFE;
`ifdef SECDED
        33: `MANAGER.u_status.u_corrected.g_log.count_q <= 16'hFFFE;
`endif
`ifdef REBUILD
        34: begin
          `MANAGER.g_rebuild.u_rebuild.flows_q <= 16'hFFFE;
          `MANAGER.g_rebuild.u_rebuild.rebuilds_q <= 16'hFFFE;
        end
`endif
        default: bad("a counter that nobody knows");
      endcase
`else
      over = 1;
`endif
    end
  endtask

  initial begin
    clk = 0; rst_n = 1; wrong = 0; line = 0; over = 0; cycles = 0; most = 0; told = 0;
    psel = 0; penable = 0; pwrite = 0; paddr = 0; pwdata = 0;
    cnp_valid = 0; bytes_valid = 0; command_valid = 0; flow = 0; marks = 1; bytes_length = 1000;
    if (!$value$plusargs("vectors=%s", path)) path = "registers.vec";
    file = $fopen(path, "r");
    if (file == 0) $fatal(1, "FAIL: cannot read the vectors");
    n = $fscanf(file, "%h %h %h %h\n", op, a, b, c);
    while (n == 4 && !over && wrong < 100) begin
      line = line + 1;
      // Effects of a line that happen before the clock runs.
      most = 1;
      case (op)
        0: begin rst_n = 0; most = 3; told = 0; end
        1, 2, 3, 11, 13, 18, 20: begin
          psel = 1; pwrite = op == 1 || op == 13; paddr = a[19:0]; pwdata = b;
          most = 2000;
        end
        4: most = a;
        5: begin most = 2; end
        6: begin cnp_valid = 1; flow = a[7:0]; end
        7: begin bytes_valid = 1; flow = a[7:0]; end
        8: most = 2000;
        9, 21: most = a;
        19: begin most = 0; if (last[a[7:0]] !== {c[0], b}) bad("the flow's last rate is another"); end
        10: begin lose; most = 0; end
        12: most = 2000;
        14: begin fill; most = 0; end
        16, 17: begin lose_some; most = 0; end
        15: begin psel = 1; paddr = b[19:0]; most = a + 2000; end
        default: bad("a line that nobody knows");
      endcase
      i = 0;
      while (i < most) begin
        if (op == 9) begin  // op 9: a load of events that uses every memory
          flow = {2'b0, i[8:3]}; marks = i[3] ? 8'd255 : 8'd200;
          cnp_valid = i % 8 < 2;  // the second CNP of a pair is joined to the first one or follows it
          bytes_valid = 1; command_valid = 1; bytes_length = 32'd4000000;
        end
        if (op == 21) begin
          flow = b[7:0];
          bytes_valid = 1;
        end
        if (op == 15) begin  // more CNPs than the arbiter issues beside the reads
          flow = i[7:0];
          cnp_valid = 1;
        end
        if (op == 8 && ready === 1'b1) most = i;
        if (op == 9 && ready !== 1'b1) most = i;
        if (i < most) begin
          #1;
          again = op == 15 && penable && pready === 1'b1 && i < a;  // the APB access starts again
          if (psel && penable && pready === 1'b1 && !again) begin
            most = i + 1;
            if (op != 15 && pslverr !== (op == 3 || op != 20 && c != 0)) bad("refused, or not");
            if (op == 13 && ready !== 1'b1) bad("an access ends before the memories are swept");
            if (op == 20 && most != c) bad("an access takes another number of cycles");
            if ((op == 2 || op == 20) && prdata !== b || op == 11 && prdata === b || op == 18 && prdata !== told) bad("a value");
          end
`ifdef INSIDE
          // The wheel falls behind by a step of its pointer, the only way that the assertions allow.
          late = op == 12 && `MANAGER.u_timers.u_wheel.step;
`endif
          if (rate_valid === 1'b1 && rate_query === 1'b0) begin
            told = told + 1;
            last[rate_flow] = {rate_bound, rate_value};
          end
          #1 clk = 1;
          #2 clk = 0;
`ifdef INSIDE
          if (late) begin
            `MANAGER.u_timers.u_wheel.u_time.lag_q     <= a;
            `MANAGER.u_timers.u_wheel.u_time.pointer_q <= `MANAGER.u_timers.u_wheel.u_time.now_q - a;
            most = i + 1;
          end
`endif
          #1;
          if (psel) penable = !again;
          cycles = cycles + 1;
          i = i + 1;
        end
      end
      // Checks of a line after the clock has run.
      case (op)
        0: rst_n = 1;
        1, 2, 3, 11, 13, 18, 20: if (i == 2000) bad("an access does not end");
        5: if (irq !== a[0]) bad("irq_o");
        8: if (ready !== 1'b1) bad("never ready");
        9: if (b[0] && ready === 1'b1) bad("no word is found wrong");
        default: ;
      endcase
      psel = 0; penable = 0; cnp_valid = 0; bytes_valid = 0; command_valid = 0; marks = 1; bytes_length = 1000;
      n = $fscanf(file, "%h %h %h %h\n", op, a, b, c);
    end
    if (wrong == 0 && line > 500) begin
      $display("PASS: %0d lines, %0d cycles", line, cycles);
      $finish;
    end else $fatal(1, "FAIL: %0d differences", wrong);
  end
endmodule
