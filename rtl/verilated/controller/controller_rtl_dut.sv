// The whole controller as a platform drives it: its pins, and outputs that show when cycles can be skipped.
//
// A rising edge of set_i samples the inputs, so that Verilator evaluates the logic behind the inputs once per
// change and not at both edges of every cycle. Internal signals are only read: the RTL is as shipped.
module controller_rtl_dut #(
  parameter int unsigned Slots   = 1024,
  parameter int unsigned FlowW   = 14,
  parameter int unsigned Latency = 64
) (
  input  logic             clk_i,
`ifdef DCC_CLOCKS
  // Clocks of the controller's parts (controller_clocks.cmake): at an edge of clk_i, the clocks selected by need_o
  // must have an edge, too. An edge of an unselected clock would change no register.
  input  logic             clk_inputs_i,
  input  logic             clk_lookup_i,
  input  logic             clk_beside_i,
  input  logic             clk_counters_i,
  input  logic             clk_wheel_i,
  input  logic             clk_regs_i,
  output logic [5:0]       need_o,         // clocks that need an edge; lowest bit: clk_inputs_i, then in this order
  output logic             all_o,          // 1: all clocks need an edge
  input  logic             hold_i,         // 1: no event is issued
  // every issued event has been written back, and the memories are swept; without meaning while psel_i is low
  input  logic             quiet_i,
  output logic             swept_o,        // the memories are swept
`endif
  input  logic             rst_ni,
  input  logic             set_i,
`ifdef DCC_FAULTS
  input  logic [2:0]       fault_i,  // number of a fault of controller_faults.cmake; 0: none
`endif
  input  logic             psel_i,
  input  logic             penable_i,
  input  logic             pwrite_i,
  input  logic [19:0]      paddr_i,
  input  logic [31:0]      pwdata_i,
  input  logic [3:0]       pstrb_i,
  input  logic             cnp_valid_i,
  input  logic [FlowW-1:0] cnp_flow_i,
  input  logic [5:0]       cnp_dscp_i,
  input  logic [7:0]       cnp_marks_i,
  input  logic [7:0]       cnp_packets_i,
  input  logic             bytes_valid_i,
  input  logic [FlowW-1:0] bytes_flow_i,
  input  logic [5:0]       bytes_dscp_i,
  input  logic [31:0]      bytes_length_i,
  input  logic             command_valid_i,
  input  logic             command_query_i,
  input  logic [FlowW-1:0] command_flow_i,

  output logic             pready_o,
  output logic [31:0]      prdata_o,
  output logic             pslverr_o,
  output logic             irq_o,
  output logic             ready_o,
  output logic             bytes_ready_o,
  output logic             command_ready_o,
  output logic             rate_valid_o,
  output logic             rate_query_o,
  output logic             rate_bound_o,
  output logic [FlowW-1:0] rate_flow_o,
  output logic [31:0]      rate_value_o,

  // What the rate port will show. Without DCC_CLOCKS: its answer in the next cycle. With DCC_CLOCKS: the answer of the
  // event that is written back in this cycle; the port of the RTL as shipped shows it Latency - 31 cycles later. A soft
  // reset that takes effect in between drops the answer.
  output logic             next_valid_o,
  output logic             next_query_o,
  output logic             next_bound_o,
  output logic [FlowW-1:0] next_flow_o,
  output logic [31:0]      next_value_o,
  output logic [Latency-33:0] waiting_o,   // bit mask of answers under way; the next answer is in the highest bit

  output logic             table_full_o,   // write-back of an event that found no slot
  output logic             calm_o,         // no event waits for issue, and the wheel has no work in this tick
  output logic             counting_o,     // 1: the registers of clk_i itself would only count
  output logic             expiring_o,     // 1: counting_o is 1, and a waiting expiry may be offered only later
  // valid with expiring_o: least number of cycles between the last offer and the next
  output logic [18:0]      pace_o,
  output logic             row_loaded_o,   // all events of this tick were handed out
  output logic             next_due_valid_o,  // valid with resting_o: the wheel has pending work
  output logic [31:0]      next_due_o         // valid with next_due_valid_o: due tick of the wheel's next work
);
  logic             psel_q, penable_q, pwrite_q, cnp_valid_q, bytes_valid_q, command_valid_q;
  logic             command_query_q;
  logic [19:0]      paddr_q;
  logic [31:0]      pwdata_q, bytes_length_q;
  logic [3:0]       pstrb_q;
  logic [FlowW-1:0] cnp_flow_q, bytes_flow_q, command_flow_q;
  logic [5:0]       cnp_dscp_q, bytes_dscp_q;
  logic [7:0]       cnp_marks_q, cnp_packets_q;

`ifdef DCC_CLOCKS
  logic quiet_q, hold_q;
  always_ff @(posedge set_i) quiet_q <= quiet_i;
  always_ff @(posedge set_i) hold_q <= hold_i;
  assign swept_o = u_top.swept;
`endif
  always_ff @(posedge set_i) begin
    psel_q          <= psel_i;
    penable_q       <= penable_i;
    pwrite_q        <= pwrite_i;
    paddr_q         <= paddr_i;
    pwdata_q        <= pwdata_i;
    pstrb_q         <= pstrb_i;
    cnp_flow_q      <= cnp_flow_i;
    cnp_dscp_q      <= cnp_dscp_i;
    cnp_marks_q     <= cnp_marks_i;
    cnp_packets_q   <= cnp_packets_i;
    bytes_flow_q    <= bytes_flow_i;
    bytes_dscp_q    <= bytes_dscp_i;
    bytes_length_q  <= bytes_length_i;
    command_query_q <= command_query_i;
    command_flow_q  <= command_flow_i;
  end
`ifdef DCC_CLOCKS
  // The edge of clk_inputs_i at which the controller takes an input clears the valid bits, so that an adapter need not
  // change the pins, and evaluate the design once more, to end the input.
  always_ff @(posedge set_i or posedge clk_inputs_i) begin
    cnp_valid_q     <= set_i && cnp_valid_i;
    bytes_valid_q   <= set_i && bytes_valid_i;
    command_valid_q <= set_i && command_valid_i;
  end
`else
  always_ff @(posedge set_i) begin
    cnp_valid_q     <= cnp_valid_i;
    bytes_valid_q   <= bytes_valid_i;
    command_valid_q <= command_valid_i;
  end
`endif

  dcc_top #(.Slots(Slots), .FlowW(FlowW), .Latency(Latency)) u_top (
    .clk_i          (clk_i),
    .scan_mode_i(1'b0),
    .ram_cfg_i('0),
    .rst_ni         (rst_ni),
    .paddr_i        (paddr_q),
    .pprot_i        (3'b000),
    .psel_i         (psel_q),
    .penable_i      (penable_q),
    .pwrite_i       (pwrite_q),
    .pwdata_i       (pwdata_q),
    .pstrb_i        (pstrb_q),
    .pready_o       (pready_o),
    .prdata_o       (prdata_o),
    .pslverr_o      (pslverr_o),
    .irq_o          (irq_o),
    .ready_o        (ready_o),
    .cnp_valid_i    (cnp_valid_q),
    .cnp_flow_i     (cnp_flow_q),
    .cnp_dscp_i     (cnp_dscp_q),
    .cnp_marks_i    (cnp_marks_q),
    .cnp_packets_i  (cnp_packets_q),
    .bytes_valid_i  (bytes_valid_q),
    .bytes_ready_o  (bytes_ready_o),
    .bytes_flow_i   (bytes_flow_q),
    .bytes_dscp_i   (bytes_dscp_q),
    .bytes_length_i (bytes_length_q),
    .command_valid_i(command_valid_q),
    .command_ready_o(command_ready_o),
    .command_query_i(command_query_q),
    .command_flow_i (command_flow_q),
    .rate_valid_o   (rate_valid_o),
    .rate_query_o   (rate_query_o),
    .rate_bound_o   (rate_bound_o),
    .rate_flow_o    (rate_flow_o),
    .rate_value_o   (rate_value_o)
  );

`ifdef DCC_CLOCKS
  assign next_valid_o = u_top.u_manager.wb_valid && u_top.u_manager.wb_answer;
  assign {next_query_o, next_bound_o, next_flow_o, next_value_o} = u_top.u_manager.answer;
  assign waiting_o    = '0;
`else
  assign next_valid_o = u_top.u_manager.u_answers.late_valid;
  assign {next_query_o, next_bound_o, next_flow_o, next_value_o} = u_top.u_manager.u_answers.late_data;
  assign waiting_o    = u_top.u_manager.u_answers.g_ring.waiting_q;
`endif

  // If these outputs are high and every issued event is written back, all registers keep their values until the
  // tick ends, except counters of time and pipeline contents without a valid bit.
  // An adapter reads the arbiter's busy_q itself.
  assign table_full_o = u_top.u_manager.u_status.table_full;
  assign calm_o    = ready_o && u_top.u_manager.waits == '0 && !u_top.u_manager.joined && !rate_valid_o &&
                     !u_top.u_manager.u_lookup.give1_q && !u_top.u_manager.u_lookup.give2_q &&
                     !u_top.u_manager.u_timers.first_valid &&
                     !u_top.u_manager.u_timers.again_valid && !u_top.u_manager.u_timers.start_q &&
                     !u_top.u_manager.u_timers.expire_valid &&
                     u_top.u_manager.u_timers.u_wheel.idle_o &&
                     u_top.u_manager.u_timers.div_q == u_top.u_manager.u_timers.tick_div_i;
  // An adapter can count time, the age of the last issues, and the events beside the rate unit itself.
  assign expiring_o = u_top.u_manager.u_timers.expire_valid;
  assign pace_o     = u_top.u_manager.u_timers.first_q ? '0 : u_top.u_manager.u_timers.wait_for;
  assign counting_o = ready_o && u_top.u_manager.waits == '0 && !u_top.u_manager.joined && !psel_q &&
                      !u_top.u_manager.clear_q &&
                      u_top.u_manager.wrong == '0 && !u_top.u_manager.cnp_lost &&
                      u_top.u_manager.u_timers.div_q == u_top.u_manager.u_timers.tick_div_i &&
                      u_top.u_manager.u_status.overrun_i == u_top.u_manager.u_status.overrun_q;

`ifdef DCC_CLOCKS
  // A part of the controller needs an edge while it holds a valid bit or has one at its inputs. The position of an
  // empty ring does not matter. Software's accesses and resets clock all parts; all_o is a port of its own,
  // because logic behind it would be evaluated at every edge of clk_i.
  logic stands;
  assign all_o     = !ready_o || psel_q || u_top.u_manager.clear_q;
  // True if the wheel offers an expiry that is not taken: all other logic of the wheel then keeps its state.
  assign stands    = u_top.u_manager.u_timers.expire_valid && !u_top.u_manager.u_timers.take_i &&
                     u_top.u_manager.u_timers.u_wheel.resting && !u_top.u_manager.u_timers.u_wheel.retire_valid &&
                     (u_top.u_manager.u_timers.u_wheel.u_time.overrun_q ||
                      u_top.u_manager.u_timers.u_wheel.u_time.lag_q <
                      u_top.u_manager.u_timers.u_wheel.u_time.OverrunLag);
  assign need_o[0] = cnp_valid_q || bytes_valid_q || command_valid_q || u_top.u_manager.issue != '0 ||
                     u_top.u_manager.cnp_take;
  assign need_o[1] = u_top.u_manager.issue != '0 || u_top.u_manager.wb_done ||
                     u_top.u_manager.u_timers.expire_valid != u_top.u_manager.u_timers.asked_q ||
                     u_top.u_manager.u_timers.asked_q != u_top.u_manager.u_timers.known_q ||
                     u_top.u_manager.u_lookup.give1_q || u_top.u_manager.u_lookup.give2_q ||
                     u_top.u_manager.u_lookup.s0_valid_q || u_top.u_manager.u_lookup.s1_valid_q ||
                     u_top.u_manager.u_lookup.s2_valid_q || u_top.u_manager.u_lookup.s3_valid_q ||
                     u_top.u_manager.u_lookup.s4_valid_q;
  assign need_o[2] = u_top.u_manager.s4_valid;
  assign need_o[3] = u_top.u_manager.wb_done || u_top.u_manager.cnp_lost;
  assign need_o[4] = (u_top.u_manager.wb_done && u_top.u_manager.wb_start) ||
                     u_top.u_manager.u_timers.tick || u_top.u_manager.u_timers.first_valid ||
                     u_top.u_manager.u_timers.again_valid || u_top.u_manager.u_timers.start_q ||
                     !(stands || u_top.u_manager.u_timers.u_wheel.idle_o);
  assign need_o[5] = table_full_o ||
                     u_top.u_manager.u_status.overrun_i != u_top.u_manager.u_status.overrun_q;
`endif
  assign next_due_valid_o = u_top.u_manager.u_timers.u_wheel.next_due_valid_o;
  assign next_due_o       = u_top.u_manager.u_timers.u_wheel.next_due_o;
  assign row_loaded_o     = u_top.u_manager.u_timers.u_wheel.row_loaded;
endmodule
