// The congestion manager: queues inputs, issues at most one event per cycle, writes each back 31 cycles later.
// SPDX-License-Identifier: Apache-2.0
//
// This module connects the parts; docs/controller-contract.md defines the cycle of every effect. Signals named wb_
// belong to the last cycle of an event (u_finish).
module dc_manager #(
  parameter int unsigned Slots        = 1024,
  parameter int unsigned FlowW        = 14,
  parameter int unsigned SparseFlows  = 0,
  parameter int unsigned Latency      = 64,
  parameter int unsigned CnpDepth     = 64,
  parameter int unsigned CommandDepth = 16,
  parameter int unsigned BytesDepth   = 64,
  parameter int unsigned TopBits      = 5,
  parameter int unsigned MiddleBits   = 5,
  parameter int unsigned LastBits     = 6,
  parameter int unsigned Secded       = 0,
  parameter int unsigned Rebuild      = 0,
  parameter int unsigned ClockGate    = 0,
  localparam int unsigned SlotW   = $clog2(Slots),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,  // pins of the RAMs (ram_pkg.sv)
  input  dcc_regs_pkg::dcc_reg2hw_t regs_i,
  output dcc_regs_pkg::dcc_hw2reg_t status_o,
  output logic             ready_o,
  output logic             swept_o,         // the memories' sweep is over; a fault may still stop the manager
  input  logic             access_i,        // an access of software is open
  input  logic             hold_i,          // the APB gate lets no event be issued
  output logic             quiet_o,         // every issued event has been written back

  // Input ports: congestion notifications, byte notifications, commands
  input  logic             cnp_valid_i,     // a congestion notification, lost when its FIFO is full
  input  logic [FlowW-1:0] cnp_flow_i,
  input  logic [5:0]       cnp_dscp_i,
  input  logic [7:0]       cnp_marks_i,
  input  logic [7:0]       cnp_packets_i,
  input  logic             bytes_valid_i,
  output logic             bytes_ready_o,
  input  logic [FlowW-1:0] bytes_flow_i,
  input  logic [5:0]       bytes_dscp_i,
  input  logic [31:0]      bytes_length_i,
  input  logic             command_valid_i,
  output logic             command_ready_o,
  input  logic             command_query_i,  // 1: query of a flow's rate; 0: release of a flow's slot
  input  logic [FlowW-1:0] command_flow_i,

  // Output port: answers with a flow's rate
  output logic             rate_valid_o,
  output logic             rate_query_o,
  output logic             rate_bound_o,
  output logic [FlowW-1:0] rate_flow_o,
  output logic [31:0]      rate_value_o,

  // Port for software's accesses to tables of the rate unit and to slots
  input  logic             table_valid_i,
  input  logic             table_write_i,
  input  logic [2:0]       table_i,
  input  logic [8:0]       table_index_i,
  input  logic [31:0]      table_wdata_i,
  output logic             table_ready_o,
  output logic [31:0]      table_rdata_o,
  input  logic             view_i,
  input  logic [SlotW+2:0] view_word_i,
  output logic             view_ready_o,
  output logic [31:0]      view_rdata_o
);
  localparam int unsigned CnpW     = FlowW + 22;
  localparam int unsigned DueW     = TopBits + MiddleBits + LastBits + 1;

  // ---------------------------------------------------------------------------------------------
  // Readiness and reset
  // ---------------------------------------------------------------------------------------------
  logic             clear, ready, swept, sweep_done, started, sweep, power_up, in_range, rate_done, wheel_done;
  logic             fault;
  logic             clk_events, clk_lookup, clk_entries;  // clocks that may stand still (u_clocks)

  // Signals of the rebuild after a wrong memory word (u_rebuild)
  logic             rb_start, rb_busy, rb_read, rb_write, rb_bind, rb_give, rb_erase, rb_told;
  logic [SlotW-1:0] rb_slot;
  logic [FlowW-1:0] rb_flow;
  logic [14:0]      rb_lost, pending;
  logic [15:0]      rb_flows, rb_rebuilds;

  logic [FlowW-1:0] index;
  assign clear   = regs_i.ctrl_soft_reset;
  assign swept   = sweep_done && !rb_busy;
  assign ready   = swept && !fault;
  assign ready_o = ready;
  assign swept_o = swept;

  dc_sweep #(.Slots(Slots), .FlowW(FlowW), .SparseFlows(SparseFlows)) u_sweep (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .soft_reset_i(clear || rb_start),
    .fault_i     (fault || rb_busy),
    .ready_o     (sweep_done),
    .started_o   (started),
    .sweep_o     (sweep),
    .power_up_o  (power_up),
    .index_o     (index),
    .in_range_o  (in_range)
  );

  // ---------------------------------------------------------------------------------------------
  // Inputs: counted as dropped before READY, ignored while the controller is disabled
  // ---------------------------------------------------------------------------------------------
  logic       cnp_taken, bytes_taken, cnp_full, cnp_lost, command_full, bytes_room;
  logic [1:0] dropped;
  logic [3:0] waits, issue;

  assign cnp_taken       = cnp_valid_i && regs_i.ctrl_enable && ready;
  assign bytes_taken     = bytes_valid_i && regs_i.ctrl_enable && ready;
  assign drop_cnp        = rb_start && wrong_cnp[0];  // the rebuild drops a wrong CNP at the queue's head
  assign cnp_lost        = (cnp_taken && cnp_full) || drop_cnp;
  assign dropped         = {1'b0, cnp_valid_i && regs_i.ctrl_enable && !ready} +
                           {1'b0, bytes_valid_i && regs_i.ctrl_enable && !ready};
  assign bytes_ready_o   = bytes_room || !regs_i.ctrl_enable || !ready;
  assign command_ready_o = ready && !command_full;

  logic [FlowW-1:0] cnp_flow, command_flow, bytes_flow, timer_flow, flow;
  logic [5:0]       cnp_dscp, bytes_dscp;
  logic [7:0]       cnp_marks, cnp_packets;
  logic [31:0]      bytes_length;
  logic [15:0]      bytes_packets;
  logic             command_query, cnp_take, drop_cnp, joined;
  logic [5:0]       joined_dscp;
  logic [7:0]       joined_marks, joined_packets, joined_count;

  // Reports of ram_guarded.sv: errors in the words of a memory that the block read in the previous cycle, found by
  // parity or, with Secded, by its code.
  logic [ReportW-1:0] wrong_cnp, wrong_command, wrong_bytes, wrong_start, wrong_tables, wrong_beside, wrong_answer;
  logic [ReportW-1:0] wrong_wheel;
  logic [ReportW-1:0] report_flows, report_free, report_slots, report_limits, report;

  dc_fifo #(.Depth(CnpDepth), .Width(CnpW), .Secded(Secded), .Number(17)) u_cnps (
    .clk_i  (clk_events),
    .ram_pins_i(ram_pins_i),
    .rst_ni (rst_ni),
    .clear_i(clear),
    .push_i (cnp_taken),
    .data_i ({cnp_flow_i, cnp_dscp_i, cnp_marks_i, cnp_packets_i}),
    .full_o (cnp_full),
    .valid_o(waits[dcc_controller_pkg::KindCnp]),
    .data_o ({cnp_flow, cnp_dscp, cnp_marks, cnp_packets}),
    .pop_i  (cnp_take || drop_cnp),
    .error_o(wrong_cnp)
  );
  dc_fifo #(.Depth(CommandDepth), .Width(FlowW + 1), .Secded(Secded), .Number(18)) u_commands (
    .clk_i  (clk_events),
    .ram_pins_i(ram_pins_i),
    .rst_ni (rst_ni),
    .clear_i(clear),
    .push_i (command_valid_i && command_ready_o),
    .data_i ({command_flow_i, command_query_i}),
    .full_o (command_full),
    .valid_o(waits[dcc_controller_pkg::KindCommand]),
    .data_o ({command_flow, command_query}),
    .pop_i  (issue[dcc_controller_pkg::KindCommand] || (rb_start && wrong_command[0])),
    .error_o(wrong_command)
  );
  dc_byte_queue #(.Depth(BytesDepth), .FlowW(FlowW), .Secded(Secded), .Number(29)) u_bytes (
    .clk_i    (clk_events),
    .clk_entries_i(clk_entries),
    .rst_ni   (rst_ni),
    .clear_i  (clear),
    .valid_i  (bytes_taken),
    .ready_o  (bytes_room),
    .flow_i   (bytes_flow_i),
    .dscp_i   (bytes_dscp_i),
    .length_i (bytes_length_i),
    .valid_o  (waits[dcc_controller_pkg::KindBytes]),
    .flow_o   (bytes_flow),
    .dscp_o   (bytes_dscp),
    .length_o (bytes_length),
    .packets_o(bytes_packets),
    .pop_i    (issue[dcc_controller_pkg::KindBytes] || (rb_start && wrong_bytes[0])),
    .error_o  (wrong_bytes)
  );

  // ---------------------------------------------------------------------------------------------
  // The timers
  // ---------------------------------------------------------------------------------------------
  logic             name, timer_late, wb_valid, wb_start, overrun, clear_q;
  logic [SlotW-1:0] name_slot, timer_slot, wb_slot;
  logic [FlowW-1:0] name_flow, wb_flow;
  logic [DueW-1:0]  timer_due;
  logic [31:0]      now, lag;
  dcc_controller_pkg::plan_t wb_plan;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) clear_q <= 1'b0;
    else clear_q <= clear;
  end

  dc_timers #(
    .Slots     (Slots),
    .FlowW     (FlowW),
    .TopBits   (TopBits),
    .MiddleBits(MiddleBits),
    .LastBits  (LastBits),
    .Secded    (Secded)
  ) u_timers (
    .clk_i          (clk_i),
    .ram_pins_i(ram_pins_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear || rb_start),
    .init_done_o    (wheel_done),
    .run_i          (started),
    .tick_div_i     (regs_i.tick_div),
    .wait_i         (rb_busy),
    .start_i        ((wb_valid && wb_start) || rb_bind),
    .start_first_i  (wb_plan.first || rb_busy),
    .start_slot_i   (rb_busy ? rb_slot : wb_slot),
    .start_due_i    (rb_busy ? view.due : wb_plan.start_at),
    .name_o         (name),
    .name_slot_o    (name_slot),
    .name_flow_i    (name_flow),
    .valid_o        (waits[dcc_controller_pkg::KindTimer]),
    .take_i         (issue[dcc_controller_pkg::KindTimer]),
    .slot_o         (timer_slot),
    .flow_o         (timer_flow),
    .due_o          (timer_due),
    .late_o         (timer_late),
    .now_o          (now),
    .lag_o          (lag),
    .overrun_o      (overrun),
    .overrun_clear_i(clear_q),  // the lag is 0 one cycle after the timing wheel was cleared
    .wrong_start_o  (wrong_start),
    .wrong_wheel_o  (wrong_wheel)
  );

  // ---------------------------------------------------------------------------------------------
  // Issue of events
  // ---------------------------------------------------------------------------------------------
  logic [1:0]                 kind;
  dcc_controller_pkg::event_t event_d;

  dc_arbiter #(.FlowW(FlowW)) u_arbiter (
    .clk_i         (clk_events),
    .clk_free_i    (clk_i),
    .rst_ni        (rst_ni),
    .clear_i       (clear || drop_joined),
    .forget_i      (rb_start),
    .hold_i        (hold_i || !ready),
    .valid_i       (waits),
    .cnp_flow_i    (cnp_flow),
    .cnp_dscp_i    (cnp_dscp),
    .cnp_marks_i   (cnp_marks),
    .cnp_packets_i (cnp_packets),
    .timer_flow_i  (timer_flow),
    .command_flow_i(command_flow),
    .bytes_flow_i  (bytes_flow),
    .cnp_take_o    (cnp_take),
    .issue_o       (issue),
    .kind_o        (kind),
    .flow_o        (flow),
    .cnp_dscp_o    (joined_dscp),
    .cnp_marks_o   (joined_marks),
    .cnp_packets_o (joined_packets),
    .cnp_count_o   (joined_count),
    .joined_o      (joined),
    .quiet_o       (quiet_o)
  );

  // Fields that an event of this kind lacks become 0, because the FIFO's output may never have been written.
  always_comb begin
    event_d      = '0;
    event_d.kind = kind;
    unique case (kind)
      dcc_controller_pkg::KindCnp: begin
        event_d.dscp    = joined_dscp;
        event_d.marks   = joined_marks;
        event_d.packets = 16'(joined_packets);
        event_d.data    = 32'(joined_count);
      end
      dcc_controller_pkg::KindTimer: begin
        event_d.data = 32'(timer_due);
        event_d.late = timer_late;
      end
      dcc_controller_pkg::KindCommand: event_d.query = command_query;
      default: begin  // otherwise the event is a byte notification
        event_d.dscp    = bytes_dscp;
        event_d.packets = bytes_packets;
        event_d.data    = bytes_length;
      end
    endcase
  end

  // ---------------------------------------------------------------------------------------------
  // Clocks: those of parts that have no work may stand still
  // ---------------------------------------------------------------------------------------------
  logic work;
  assign work = cnp_valid_i || bytes_valid_i || command_valid_i || waits != '0 || joined || name || access_i ||
                !ready || !rate_done;
  dc_clocks #(.ClockGate(ClockGate), .SparseFlows(SparseFlows), .Latency(Latency)) u_clocks (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .scan_mode_i  (ram_pins_i[ram_pkg::PinsW-1]),
    .work_i       (work),
    .offered_i    (bytes_taken),
    .clk_events_o (clk_events),
    .clk_lookup_o (clk_lookup),
    .clk_entries_o(clk_entries)
  );

  // ---------------------------------------------------------------------------------------------
  // The pipeline of events
  // ---------------------------------------------------------------------------------------------
  logic                       s4_valid, s4_hit, s4_first, s9_valid, s25_valid;
  dcc_controller_pkg::event_t s4_event;
  logic [FlowW-1:0]           s4_flow, s9_flow, s25_flow;
  logic [SlotW-1:0]           s4_slot, s9_slot, s25_slot;
  logic [31:0]                s4_now, lo, hi;
  dcc_controller_pkg::slot_t  s4_parameters, view;
  dcc_controller_pkg::plan_t  s9_plan, s25_plan;
  logic [FlowW-1:0]           view_flow;
  logic [5:0]                 dscp;
  logic [SlotW:0]             free, in_use_max;
  logic                       wb_done, wb_held, wb_released, wb_answer, wb_bind, wb_unbind, wb_give;

  dc_lookup #(.Slots(Slots), .FlowW(FlowW), .SparseFlows(SparseFlows), .Secded(Secded)) u_lookup (
    .clk_i             (clk_lookup),
    .ram_pins_i(ram_pins_i),
    .rst_ni            (rst_ni),
    .issue_i           (issue != '0),
    .event_i           (event_d),
    .flow_i            (flow),
    .slot_i            (timer_slot),
    .now_i             (now),
    .dcqcn_i           (regs_i.ctrl_law),
    .valid_o           (s4_valid),
    .event_o           (s4_event),
    .flow_o            (s4_flow),
    .slot_o            (s4_slot),
    .now_o             (s4_now),
    .hit_o             (s4_hit),
    .first_o           (s4_first),
    .parameters_o      (s4_parameters),
    .name_i            (name || rb_read),
    .name_slot_i       (rb_busy ? rb_slot : name_slot),
    .name_flow_o       (name_flow),
    .view_i            (view_i || rb_read),
    .view_slot_i       (rb_busy ? rb_slot : view_word_i[SlotW+2:3]),
    .view_flow_o       (view_flow),
    .view_o            (view),
    .bind_i            (wb_bind || rb_bind),
    .unbind_i          (wb_unbind),
    .write_i           ((wb_valid && wb_plan.write) || rb_write),
    .write_flow_i      (rb_busy ? rb_flow : wb_flow),
    .write_slot_i      (rb_busy ? rb_slot : wb_slot),
    .write_parameters_i(wb_parameters),
    .give_i            (wb_give || rb_give),
    .empty_i           (rb_start),
    .keep_i            (rb_busy),
    .rename_i          (rb_write),
    .clear_i           (clear),
    .sweep_i           (sweep),
    .power_up_i        (power_up),
    .in_range_i        (in_range),
    .index_i           (index),
    .free_o            (free),
    .in_use_max_o      (in_use_max),
    .report_flows_o    (report_flows),
    .report_free_o     (report_free),
    .report_slots_o    (report_slots)
  );

  dc_limits #(.Secded(Secded)) u_limits (
    .clk_i        (clk_events),
    .ram_pins_i(ram_pins_i),
    .sweep_i      (sweep && !started),
    .index_i      (index[5:0]),
    .write_i      (table_valid_i && table_write_i),
    .write_table_i(table_i),
    .write_index_i(table_index_i),
    .write_word_i (table_wdata_i),
    .r_min_i      (regs_i.r_min),
    .r_max_i      (regs_i.r_max),
    .dscp_i       (dscp),
    .dscp_valid_i (s4_valid),
    .lo_o         (lo),
    .hi_o         (hi),
    .report_o     (report_limits)
  );

  logic        req_valid, req_increase, req_first;
  logic [31:0] req_rc;
  logic [1:0]  req_stage;
  logic [19:0] req_delta;
  logic [7:0]  req_marks;

  dc_classify #(.FlowW(FlowW), .SlotW(SlotW)) u_classify (
    .clk_i         (clk_events),
    .rst_ni        (rst_ni),
    .regs_i        (regs_i),
    .valid_i       (s4_valid),
    .event_i       (s4_event),
    .flow_i        (s4_flow),
    .slot_i        (s4_slot),
    .now_i         (s4_now),
    .hit_i         (s4_hit),
    .first_i       (s4_first),
    .parameters_i  (s4_parameters),
    .dscp_o        (dscp),
    .lo_i          (lo),
    .hi_i          (hi),
    .valid_o       (s9_valid),
    .flow_o        (s9_flow),
    .slot_o        (s9_slot),
    .plan_o        (s9_plan),
    .req_valid_o   (req_valid),
    .req_increase_o(req_increase),
    .req_rc_o      (req_rc),
    .req_stage_o   (req_stage),
    .req_delta_o   (req_delta),
    .req_marks_o   (req_marks),
    .req_first_o   (req_first)
  );

  dcc_rate_pkg::regs_t rate_regs;
  dcc_rate_regs u_rate_regs (.reg2hw_i(regs_i), .regs_o(rate_regs));

  logic        rsp_valid, rsp_increase, rsp_at_maximum, req_ready, rate_busy;
  logic [31:0] rsp_rc, rsp_rt;
  logic [16:0] rsp_alpha;

  rate_unit #(.Secded(Secded)) u_rate (
    .clk_i           (clk_events),
    .ram_pins_i(ram_pins_i),
    .rst_ni          (rst_ni),
    .init_done_o     (rate_done),
    .regs_i          (rate_regs),
    .req_valid_i     (req_valid),
    .req_ready_o     (req_ready),
    .req_increase_i  (req_increase),
    .req_rc_i        (req_rc),
    .req_rt_i        (s9_plan.slot.rt),
    .req_dscp_i      (s9_plan.slot.dscp),
    .req_stage_i     (req_stage),
    .req_alpha_i     (s9_plan.slot.alpha),
    .req_delta_i     (req_delta),
    .req_marks_i     (req_marks),
    .req_first_i     (req_first),
    .rsp_valid_o     (rsp_valid),
    .rsp_ready_i     (1'b1),
    .rsp_increase_o  (rsp_increase),
    .rsp_rc_o        (rsp_rc),
    .rsp_rt_o        (rsp_rt),
    .rsp_alpha_o     (rsp_alpha),
    .rsp_at_maximum_o(rsp_at_maximum),
    .tbl_valid_i     (table_valid_i),
    .tbl_write_i     (table_write_i),
    .tbl_table_i     (table_i),
    .tbl_index_i     (table_index_i),
    .tbl_wdata_i     (table_wdata_i),
    .tbl_ready_o     (table_ready_o),
    .tbl_rdata_o     (table_rdata_o),
    .busy_o          (rate_busy),
    .error_o         (wrong_tables)
  );

  // The plan of an event waits while the rate unit calculates.
  logic [rate_lut_pkg::Latency-1:0] beside_q;
  assign s25_valid = beside_q[rate_lut_pkg::Latency-1];
  always_ff @(posedge clk_events or negedge rst_ni) begin
    if (!rst_ni) beside_q <= '0;
    else beside_q <= {beside_q[rate_lut_pkg::Latency-2:0], s9_valid};
  end
  dc_delay #(.Cycles(rate_lut_pkg::Latency), .Width(FlowW + SlotW + $bits(s9_plan)), .Secded(Secded),
             .Number(21)) u_beside (
    .clk_i  (clk_events),
    .clk_free_i(clk_i),
    .ram_pins_i(ram_pins_i),
    .rst_ni (rst_ni),
    .put_i  (s9_valid),
    .d_i    ({s9_flow, s9_slot, s9_plan}),
    .get_i  (beside_q[rate_lut_pkg::Latency-2]),
    .q_o    ({s25_flow, s25_slot, s25_plan}),
    .error_o(wrong_beside)
  );

  dc_finish #(.FlowW(FlowW), .SlotW(SlotW)) u_finish (
    .clk_i           (clk_events),
    .rst_ni          (rst_ni),
    .dcqcn_i         (regs_i.ctrl_law),
    .first_cut_i     (regs_i.first_cut),
    .valid_i         (s25_valid),
    .flow_i          (s25_flow),
    .slot_i          (s25_slot),
    .plan_i          (s25_plan),
    .rsp_rc_i        (rsp_rc),
    .rsp_rt_i        (rsp_rt),
    .rsp_alpha_i     (rsp_alpha),
    .rsp_at_maximum_i(rsp_at_maximum),
    .valid_o         (wb_done),
    .flow_o          (wb_flow),
    .slot_o          (wb_slot),
    .plan_o          (wb_plan),
    .held_o          (wb_held),
    .released_o      (wb_released),
    .answer_o        (wb_answer),
    .start_o         (wb_start)
  );
  dcc_controller_pkg::slot_t wb_parameters;  // contents that the write-back writes into the parameter store
  assign wb_parameters = !rb_busy ? wb_plan.slot : rb_erase ? '0 : view;
  assign wb_valid  = wb_done && !fault;
  assign wb_bind   = wb_valid && wb_plan.first;
  assign wb_unbind = wb_valid && wb_plan.write && !wb_plan.slot.bound;
  assign wb_give   = wb_valid && (wb_released || wb_plan.unbound);

  logic wb_bound;
  assign wb_bound = wb_plan.hit || wb_plan.first;  // a flow without a slot has no rate; the rate output is then 0
  logic [FlowW+33:0] answer;
  assign answer = rb_busy ? {2'b01, rb_flow, regs_i.r_max}
                          : {wb_plan.query, wb_bound, wb_flow, wb_bound ? wb_plan.slot.rc : 32'd0};

  dc_answers #(.Latency(Latency), .Width(FlowW + 34), .Secded(Secded), .Number(22)) u_answers (
    .clk_i  (clk_events),
    .clk_free_i(clk_i),
    .ram_pins_i(ram_pins_i),
    .rst_ni (rst_ni),
    .clear_i(clear),
    .valid_i((wb_valid && wb_answer) || rb_told),
    .data_i (answer),
    .valid_o(rate_valid_o),
    .data_o ({rate_query_o, rate_bound_o, rate_flow_o, rate_value_o}),
    .error_o(wrong_answer)
  );

  // ---------------------------------------------------------------------------------------------
  // Read of slots by software
  // ---------------------------------------------------------------------------------------------
  dc_view #(.FlowW(FlowW)) u_view (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .view_i (view_i),
    .word_i (view_word_i[2:0]),
    .ready_o(view_ready_o),
    .rdata_o(view_rdata_o),
    .flow_i (view_flow),
    .slot_i (view)
  );

  localparam int unsigned Memories = dcc_regs_pkg::MemoryErrorWheelLsb + 1;
  logic [Memories-1:0] wrong;
  always_comb begin
    wrong = '0;
    wrong[dcc_regs_pkg::MemoryErrorFlowsLsb]    = report_flows[0];
    wrong[dcc_regs_pkg::MemoryErrorFreeListLsb] = report_free[0];
    wrong[dcc_regs_pkg::MemoryErrorSlotsLsb]    = report_slots[0];
    wrong[dcc_regs_pkg::MemoryErrorTablesLsb]   = wrong_tables[0] || report_limits[0];
    wrong[dcc_regs_pkg::MemoryErrorQueuesLsb]   = wrong_cnp[0] || wrong_command[0] || wrong_bytes[0] ||
                                                  wrong_start[0];
    wrong[dcc_regs_pkg::MemoryErrorDelaysLsb]   = wrong_beside[0] || wrong_answer[0];
    wrong[dcc_regs_pkg::MemoryErrorWheelLsb]    = wrong_wheel[0];
  end

  // ---------------------------------------------------------------------------------------------
  // Recovery from a wrong word
  // ---------------------------------------------------------------------------------------------
  logic [Memories-1:0] forgiven;  // the rebuild reads wrong words of slots, and of their flows, on purpose
  logic                drop_joined;

  if (Rebuild != 0) begin : g_rebuild
    logic cnp_q;  // a CNP was wrong since the last rebuild and may have joined other CNPs
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) cnp_q <= 1'b0;
      else cnp_q <= (cnp_q || wrong_cnp[0]) && !clear && !rb_start;
    end
    assign drop_joined = rb_start && cnp_q;
    always_comb begin
      forgiven = '0;
      forgiven[dcc_regs_pkg::MemoryErrorFlowsLsb] = rb_busy;
      forgiven[dcc_regs_pkg::MemoryErrorSlotsLsb] = rb_busy;
    end

    dc_rebuild #(.Slots(Slots), .FlowW(FlowW)) u_rebuild (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .clear_i      (clear),
      .fault_i      (fault),
      .quiet_i      (quiet_o),
      .access_i     (hold_i || table_valid_i || view_i),
      .wrong_table_i(wrong_tables[0] || report_limits[0]),
      .table_write_i(table_valid_i && table_write_i),
      .start_o      (rb_start),
      .swept_i      (sweep_done),
      .busy_o       (rb_busy),
      .read_o       (rb_read),
      .slot_o       (rb_slot),
      .wrong_i      (report_slots[0]),
      .bound_i      (view.bound),
      .flow_i       (view_flow),
      .name_i       (name_flow),
      .write_o      (rb_write),
      .bind_o       (rb_bind),
      .give_o       (rb_give),
      .erase_o      (rb_erase),
      .flow_o       (rb_flow),
      .pending_i    (pending),
      .lost_o       (rb_lost),
      .told_o       (rb_told),
      .flows_o      (rb_flows),
      .rebuilds_o   (rb_rebuilds)
    );
  end else begin : g_stays
    assign {rb_start, rb_busy, rb_read, rb_write, rb_bind, rb_give, rb_erase, rb_told} = '0;
    assign rb_slot     = '0;
    assign rb_flow     = '0;
    assign rb_lost     = '0;
    assign rb_flows    = '0;
    assign rb_rebuilds = '0;
    assign forgiven    = '0;
    assign drop_joined = 1'b0;

    logic unused_pending;
    assign unused_pending = &{1'b0, pending};
  end

  ram_reports #(.Count(12), .ReportW(ReportW)) u_reports (
    .reports_i({wrong_wheel, wrong_answer, wrong_beside, wrong_start, wrong_bytes, wrong_command, wrong_cnp, wrong_tables,
                report_limits, report_slots, report_free, report_flows}),
    .report_o (report)
  );

  dc_status #(.Slots(Slots), .ReportW(ReportW)) u_status (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .clear_i     (clear),
    .resume_i    (rb_start),
    .ready_i     (ready),
    .idle_i      (free == (SlotW + 1)'(Slots) && waits == '0 && !joined && quiet_o),
    .overrun_i   (overrun),
    .free_i      (free),
    .in_use_max_i(in_use_max),
    .now_i       (now),
    .lag_i       (lag),
    .valid_i     (wb_valid),
    .plan_i      (wb_plan),
    .held_i      (wb_held),
    .released_i  (wb_released),
    .answer_i    (wb_answer),
    .cnp_lost_i  (cnp_lost),
    .dropped_i   (dropped),
    .wrong_i     (wrong),
    .forgiven_i  (forgiven),
    .report_i    (report),
    .lost_i      (rb_lost),
    .told_i      (rb_told),
    .lost_flows_i(rb_flows),
    .rebuilds_i  (rb_rebuilds),
    .pending_o   (pending),
    .fault_o     (fault),
    .status_o    (status_o)
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && req_valid) assert (req_ready) else $error("the rate unit was not ready");
    if (rst_ni && s25_valid && (s25_plan.cut || s25_plan.increase)) begin
      assert (rsp_valid && rsp_increase == s25_plan.increase) else $error("no answer of the rate unit");
    end
    if (rst_ni && ready) assert (rate_done && wheel_done) else $error("ready before its parts");
  end
`endif

  logic unused;
  assign unused = &{1'b0, req_ready, rsp_valid, rsp_increase, rate_busy, rate_done, wheel_done};
endmodule
