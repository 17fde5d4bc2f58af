// Cycles 25 to 31 of an event: takes the calculated rate, adds the first step of a hold, writes the slot back.
// SPDX-License-Identifier: Apache-2.0
module dc_finish #(
  parameter int unsigned FlowW = 14,
  parameter int unsigned SlotW = 10
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             dcqcn_i,
  input  logic [16:0]      first_cut_i,
  // input: an event in cycle 25 of the pipeline
  input  logic             valid_i,
  input  logic [FlowW-1:0] flow_i,
  input  logic [SlotW-1:0] slot_i,
  input  dcc_controller_pkg::plan_t plan_i,
  input  logic [31:0]      rsp_rc_i,
  input  logic [31:0]      rsp_rt_i,
  input  logic [16:0]      rsp_alpha_i,
  input  logic             rsp_at_maximum_i,
  // output: the event in cycle 31 of the pipeline
  output logic             valid_o,
  output logic [FlowW-1:0] flow_o,
  output logic [SlotW-1:0] slot_o,
  output dcc_controller_pkg::plan_t plan_o,  // the event's effects, and the slot to write back
  output logic             held_o,           // a rate hold began, which counts as a cut
  output logic             released_o,       // the slot is released because the rate is the maximum
  output logic             answer_o,
  output logic             start_o           // the timing wheel must start the slot's timer
);
  logic                      s26_valid_q, s27_valid_q, s28_valid_q, s29_valid_q, s30_valid_q;
  logic                      s31_valid_q;
  logic [FlowW-1:0]          s26_flow_q, s27_flow_q, s28_flow_q, s29_flow_q, s30_flow_q, s31_flow_q;
  logic [SlotW-1:0]          s26_slot_q, s27_slot_q, s28_slot_q, s29_slot_q, s30_slot_q, s31_slot_q;
  dcc_controller_pkg::plan_t s26_plan_q, s27_plan_q, s28_plan_q, s29_plan_q, s30_plan_q, s31_plan_q;
  logic                      s26_released_q, s27_released_q, s28_released_q, s29_released_q;
  logic                      s30_released_q, s31_released_q;
  logic                      s27_held_q, s28_held_q, s29_held_q, s30_held_q, s31_held_q;

  // Cycle 25: response of the rate unit.
  logic calculated, released;
  assign calculated = plan_i.cut || plan_i.increase;
  assign released   = plan_i.increase && rsp_at_maximum_i &&
                      plan_i.kind == dcc_controller_pkg::KindTimer;

  // Cycles 26 to 29: multiply the target rate by FIRST_CUT; compute half of the target rate.
  logic [48:0] product;
  logic [31:0] s28_left_q, s28_half_q, s29_rc_q, s29_rt_q;
  rl_mul #(.BWidth(17)) u_mul (
    .clk_i    (clk_i),
    .enable_i (s26_valid_q),
    .a_i      (s26_plan_q.slot.rt),
    .b_i      (first_cut_i),
    .product_o(product)
  );

  // Cycle 29: contents of the slot in the first interval of a rate hold.
  dcc_controller_pkg::proportional_slot_t hold;
  always_comb begin
    hold         = s29_plan_q.slot;
    hold.rc      = s29_rc_q;
    hold.rt      = s29_rt_q;
    hold.phase   = 8'd1;
    hold.silent  = '0;
    hold.account = '0;
  end

  // Registers of a stage that holds no event do not change.
  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      s26_flow_q     <= flow_i;
      s26_slot_q     <= slot_i;
      s26_plan_q     <= plan_i;
      if (calculated) begin
        s26_plan_q.slot.rc <= rsp_rc_i;
        if (!plan_i.keep) s26_plan_q.slot.rt <= rsp_rt_i;
      end
      if (plan_i.cut && dcqcn_i) s26_plan_q.slot.alpha <= rsp_alpha_i;
      if (released) s26_plan_q.slot.bound <= 1'b0;
      s26_released_q <= released;
    end
    if (s26_valid_q) begin
      s27_flow_q     <= s26_flow_q;
      s27_slot_q     <= s26_slot_q;
      s27_plan_q     <= s26_plan_q;
      s27_released_q <= s26_released_q;
      s27_held_q     <= s26_plan_q.may_hold && s26_plan_q.owed > {1'b0, s26_plan_q.slot.rt, 2'b00};
    end
    if (s27_valid_q) begin
      s28_flow_q     <= s27_flow_q;
      s28_slot_q     <= s27_slot_q;
      s28_plan_q     <= s27_plan_q;
      s28_released_q <= s27_released_q;
      s28_held_q     <= s27_held_q;
      s28_left_q     <= product[47:16];
      s28_half_q     <= s27_plan_q.slot.rt - (s27_plan_q.slot.rt >> 1);
    end
    if (s28_valid_q) begin
      s29_flow_q     <= s28_flow_q;
      s29_slot_q     <= s28_slot_q;
      s29_plan_q     <= s28_plan_q;
      s29_released_q <= s28_released_q;
      s29_held_q     <= s28_held_q;
      s29_rc_q       <= (s28_left_q < s28_plan_q.lo) ? s28_plan_q.lo
                        : (s28_left_q > s28_plan_q.hi) ? s28_plan_q.hi : s28_left_q;
      s29_rt_q       <= (s28_half_q < s28_plan_q.lo) ? s28_plan_q.lo : s28_half_q;
    end
    if (s29_valid_q) begin
      s30_flow_q     <= s29_flow_q;
      s30_slot_q     <= s29_slot_q;
      s30_plan_q     <= s29_plan_q;
      if (s29_held_q) begin
        s30_plan_q.slot <= hold;
      end
      s30_released_q <= s29_released_q;
      s30_held_q     <= s29_held_q;
    end
    if (s30_valid_q) begin
      s31_flow_q     <= s30_flow_q;
      s31_slot_q     <= s30_slot_q;
      s31_plan_q     <= s30_plan_q;
      s31_released_q <= s30_released_q;
      s31_held_q     <= s30_held_q;
      answer_o       <= s30_plan_q.query || s30_plan_q.first ||
                        (s30_plan_q.write && s30_plan_q.kind != dcc_controller_pkg::KindCommand &&
                         s30_plan_q.slot.rc != s30_plan_q.old_rc);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {s26_valid_q, s27_valid_q, s28_valid_q, s29_valid_q, s30_valid_q, s31_valid_q} <= '0;
    end else begin
      {s26_valid_q, s27_valid_q, s28_valid_q, s29_valid_q, s30_valid_q, s31_valid_q} <=
          {valid_i, s26_valid_q, s27_valid_q, s28_valid_q, s29_valid_q, s30_valid_q};
    end
  end

  assign valid_o    = s31_valid_q;
  assign flow_o     = s31_flow_q;
  assign slot_o     = s31_slot_q;
  assign plan_o     = s31_plan_q;
  assign held_o     = s31_held_q;
  assign released_o = s31_released_q;
  assign start_o    = s31_plan_q.start && !s31_released_q;
endmodule
