// Cycles 0 to 4 of an event: find the event's slot by match or in the free list, and read the slot's parameters.
// SPDX-License-Identifier: Apache-2.0
//
// A register sN_x_q belongs to the event that was issued N cycles ago.
module dc_lookup #(
  parameter int unsigned Slots = 1024,
  parameter int unsigned FlowW = 14,
  parameter int unsigned SparseFlows = 0,
  parameter int unsigned Secded = 0,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,  // pins of the RAMs (ram_pkg.sv)
  // an event is issued; the inputs are registered at the clock edge
  input  logic             issue_i,
  input  dcc_controller_pkg::event_t event_i,
  input  logic [FlowW-1:0] flow_i,
  input  logic [SlotW-1:0] slot_i,       // slot of a timer event
  input  logic [31:0]      now_i,        // the present tick
  input  logic             dcqcn_i,  // 1: DCQCN; 0: proportional law, under which a CNP without marks binds no slot
  // outputs for the event in cycle 4 of the pipeline
  output logic             valid_o,
  output dcc_controller_pkg::event_t event_o,
  output logic [FlowW-1:0] flow_o,
  output logic [SlotW-1:0] slot_o,
  output logic [31:0]      now_o,
  output logic             hit_o,        // the event's flow has a slot
  output logic             first_o,      // the event binds the flow to a free slot
  output dcc_controller_pkg::slot_t parameters_o,
  // look-up of a slot's flow for the timers
  input  logic             name_i,
  input  logic [SlotW-1:0] name_slot_i,
  output logic [FlowW-1:0] name_flow_o,
  // read of a slot by software, while no event is issued
  input  logic             view_i,
  input  logic [SlotW-1:0] view_slot_i,  // the slot's contents are valid two cycles later, until the next event
  output logic [FlowW-1:0] view_flow_o,
  output dcc_controller_pkg::slot_t view_o,
  // write-back of an event's slot
  input  logic             bind_i,
  input  logic             unbind_i,
  input  logic             write_i,
  input  logic [FlowW-1:0] write_flow_i,
  input  logic [SlotW-1:0] write_slot_i,
  input  dcc_controller_pkg::slot_t write_parameters_i,
  input  logic             give_i,       // write_slot_i returns to the free slots
  // rebuild (dc_rebuild.sv): empty_i: no slot is free; keep_i: the sweep leaves the slots, and rename_i writes
  // the flow of a slot without a bind
  input  logic             empty_i,
  input  logic             keep_i,
  input  logic             rename_i,
  // sweep of the slots' memories after a reset
  input  logic             clear_i,
  input  logic             sweep_i,
  input  logic             power_up_i,
  input  logic             in_range_i,
  input  logic [FlowW-1:0] index_i,
  output logic [SlotW:0]   free_o,
  output logic [SlotW:0]   in_use_max_o,
  // errors found in the words that the memories read in the previous cycle: reports of ram_guarded.sv
  output logic [ReportW-1:0] report_flows_o,
  output logic [ReportW-1:0] report_free_o,
  output logic [ReportW-1:0] report_slots_o
);
  logic                       s0_valid_q, s1_valid_q, s2_valid_q, s3_valid_q, s4_valid_q;
  dcc_controller_pkg::event_t s0_event_q, s1_event_q, s2_event_q, s3_event_q, s4_event_q;
  logic [FlowW-1:0]           s0_flow_q, s1_flow_q, s2_flow_q, s3_flow_q, s4_flow_q;
  logic [SlotW-1:0]           s0_slot_q, s1_slot_q, s2_slot_q, s3_slot_q, s4_slot_q;
  logic [31:0]                s1_now_q, s2_now_q, s3_now_q, s4_now_q;
  logic                       s2_hit_q, s3_hit_q, s4_hit_q, s3_first_q, s4_first_q;

  // ---------------------------------------------------------------------------------------------
  // Cycles 0 and 1: look-up of the flow's slot
  // ---------------------------------------------------------------------------------------------
  logic             bound, room, take;
  logic [SlotW-1:0] matched;

  if (SparseFlows != 0) begin : g_sparse
    dc_flow_cuckoo #(.Slots(Slots), .FlowW(FlowW), .Secded(Secded)) u_flows (
      .clk_i       (clk_i),
      .ram_pins_i(ram_pins_i),
      .match_i     (s0_valid_q),
      .match_flow_i(s0_flow_q),
      .bound_o     (bound),
      .slot_o      (matched),
      .name_i      (name_i),
      .name_slot_i (name_slot_i),
      .name_flow_o (name_flow_o),
      .room_o      (room),
      .claim_i     (take),
      .bind_i      (bind_i),
      .unbind_i    (unbind_i),
      .flow_i      (write_flow_i),
      .slot_i      (write_slot_i),
      .sweep_i     (sweep_i),
      .power_up_i  (power_up_i),
      .in_range_i  (in_range_i),
      .index_i     (index_i),
      .report_o    (report_flows_o)
    );

    logic unused;
    assign unused = &{1'b0, rename_i};  // with sparse flows, wrong words cause no rebuild
  end else begin : g_direct
    dc_flow_table #(.Slots(Slots), .FlowW(FlowW), .Secded(Secded)) u_flows (
      .clk_i       (clk_i),
      .ram_pins_i(ram_pins_i),
      .match_i     (s0_valid_q),
      .match_flow_i(s0_flow_q),
      .bound_o     (bound),
      .slot_o      (matched),
      .name_i      (name_i),
      .name_slot_i (name_slot_i),
      .name_flow_o (name_flow_o),
      .bind_i      (bind_i),
      .unbind_i    (unbind_i),
      .flow_i      (write_flow_i),
      .slot_i      (write_slot_i),
      .sweep_i     (sweep_i),
      .power_up_i  (power_up_i),
      .in_range_i  (in_range_i),
      .index_i     (index_i),
      .keep_i      (keep_i),
      .rename_i    (rename_i),
      .report_o    (report_flows_o)
    );
    assign room = 1'b1;  // the table has an entry for every flow, so a bind always has room
  end

  // ---------------------------------------------------------------------------------------------
  // Cycle 2: slot for a CNP whose flow has none. A returned slot is free Distance after the issue that freed it.
  // ---------------------------------------------------------------------------------------------
  logic             any_free, first;
  logic [SlotW-1:0] free_slot, s2_slot;
  logic             give1_q, give2_q;
  logic [SlotW-1:0] give1_slot_q, give2_slot_q;

  assign first   = s2_valid_q && s2_event_q.kind == dcc_controller_pkg::KindCnp && !s2_hit_q &&
                   any_free && room && (dcqcn_i || s2_event_q.marks != '0);
  assign take    = first;
  assign s2_slot = first ? free_slot : s2_slot_q;

  dc_free_list #(.Slots(Slots), .Secded(Secded)) u_free (
    .clk_i      (clk_i),
    .ram_pins_i(ram_pins_i),
    .rst_ni     (rst_ni),
    .clear_i    (clear_i),
    .empty_i    (empty_i),
    .sweep_i    (sweep_i),
    .index_i    (index_i[SlotW-1:0]),
    .any_o      (any_free),
    .slot_o     (free_slot),
    .take_i     (take),
    .give_i     (give2_q),
    .give_slot_i(give2_slot_q),
    .count_o    (free_o),
    .report_o   (report_free_o)
  );

  // If one slot becomes free in the cycle in which another one is taken, both slots count as in use in that cycle.
  logic           both_q;
  logic [SlotW:0] in_use, in_use_max_q;
  assign in_use       = (SlotW + 1)'(Slots) - free_o + (SlotW + 1)'(both_q);
  assign in_use_max_o = in_use_max_q;

  // ---------------------------------------------------------------------------------------------
  // Cycles 2 and 3: the slot's stored parameters
  // ---------------------------------------------------------------------------------------------
  dcc_controller_pkg::slot_t parameters, s4_parameters_q;
  logic [FlowW-1:0]          stored_flow, s4_stored_flow_q;
  logic                      viewed_q;  // software's slot was read in the previous cycle

  ram_guarded #(
    .Depth (Slots),
    .Width (FlowW + $bits(write_parameters_i)),
    .Secded(Secded),
    .Number(7)
  ) u_store (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (s2_valid_q || view_i),
    .raddr_i(view_i ? view_slot_i : s2_slot),
    .rdata_o({stored_flow, parameters}),
    .wen_i  (write_i || (sweep_i && !keep_i)),
    .waddr_i(sweep_i ? index_i[SlotW-1:0] : write_slot_i),
    .wdata_i(sweep_i ? '0 : {write_flow_i, write_parameters_i}),
    .use_i  (s3_valid_q || viewed_q),
    .report_o(report_slots_o)
  );
  assign view_o      = s4_parameters_q;
  assign view_flow_o = s4_stored_flow_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {s0_valid_q, s1_valid_q, s2_valid_q, s3_valid_q, s4_valid_q} <= '0;
      give1_q      <= 1'b0;
      give2_q      <= 1'b0;
      both_q       <= 1'b0;
      in_use_max_q <= '0;
    end else begin
      s0_valid_q <= issue_i;
      s1_valid_q <= s0_valid_q;
      s2_valid_q <= s1_valid_q;
      s3_valid_q <= s2_valid_q;
      s4_valid_q <= s3_valid_q;
      give1_q    <= give_i && !clear_i;
      give2_q    <= give1_q && !clear_i;
      both_q     <= take && give2_q && !clear_i;
      if (clear_i) in_use_max_q <= '0;
      else if (in_use > in_use_max_q && !keep_i) in_use_max_q <= in_use;
    end
  end

  // The valid bits above qualify these registers, which need no reset and keep their values without an event.
  always_ff @(posedge clk_i) begin
    viewed_q <= view_i;
    if (issue_i) begin
      s0_event_q <= event_i;
      s0_flow_q  <= flow_i;
      s0_slot_q  <= slot_i;
    end
    if (s0_valid_q) begin
      s1_event_q <= s0_event_q;
      s1_flow_q  <= s0_flow_q;
      s1_slot_q  <= s0_slot_q;
      s1_now_q   <= now_i;
    end
    if (s1_valid_q) begin
      s2_event_q <= s1_event_q;
      s2_flow_q  <= s1_flow_q;
      s2_slot_q  <= (s1_event_q.kind == dcc_controller_pkg::KindTimer) ? s1_slot_q : matched;
      s2_now_q   <= s1_now_q;
      s2_hit_q   <= bound;
    end
    if (s2_valid_q) begin
      s3_event_q <= s2_event_q;
      s3_flow_q  <= s2_flow_q;
      s3_slot_q  <= s2_slot;
      s3_now_q   <= s2_now_q;
      s3_hit_q   <= s2_hit_q;
      s3_first_q <= first;
    end
    if (s3_valid_q) begin
      s4_event_q <= s3_event_q;
      s4_flow_q  <= s3_flow_q;
      s4_slot_q  <= s3_slot_q;
      s4_now_q   <= s3_now_q;
      s4_hit_q   <= s3_hit_q;
      s4_first_q <= s3_first_q;
    end
    if (s3_valid_q || view_i) begin
      s4_parameters_q  <= parameters;
      s4_stored_flow_q <= stored_flow;
    end
    if (give_i)  give1_slot_q <= write_slot_i;
    if (give1_q) give2_slot_q <= give1_slot_q;
  end

  assign valid_o      = s4_valid_q;
  assign event_o      = s4_event_q;
  assign flow_o       = s4_flow_q;
  assign slot_o       = s4_slot_q;
  assign now_o        = s4_now_q;
  assign hit_o        = s4_hit_q;
  assign first_o      = s4_first_q;
  assign parameters_o = s4_parameters_q;
endmodule
