// Cycles 4 to 9 of an event: decides the change of its slot and the request to the rate unit.
// SPDX-License-Identifier: Apache-2.0
//
// Registers of software do not change while events are under way, so every stage may read them. CTRL.LAW selects the
// rules: DCQCN's rules are those of the patent, the proportional law's rules those of docs/differentiation.md, "The
// rules". Each law has its own names for the bits of a slot: slot_t and proportional_slot_t.
module dc_classify #(
  parameter int unsigned FlowW = 14,
  parameter int unsigned SlotW = 10
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  dcc_regs_pkg::dcc_reg2hw_t regs_i,
  // input: an event in cycle 4 of the pipeline
  input  logic             valid_i,
  input  dcc_controller_pkg::event_t event_i,
  input  logic [FlowW-1:0] flow_i,
  input  logic [SlotW-1:0] slot_i,
  input  logic [31:0]      now_i,
  input  logic             hit_i,
  input  logic             first_i,
  input  dcc_controller_pkg::slot_t parameters_i,
  // rate limits of a DSCP class: requested in cycle 4, valid in cycle 7
  output logic [5:0]       dscp_o,
  input  logic [31:0]      lo_i,
  input  logic [31:0]      hi_i,
  // output: the event in cycle 9 of the pipeline
  output logic             valid_o,
  output logic [FlowW-1:0] flow_o,
  output logic [SlotW-1:0] slot_o,
  output dcc_controller_pkg::plan_t plan_o,
  output logic             req_valid_o,
  output logic             req_increase_o,
  output logic [31:0]      req_rc_o,
  output logic [1:0]       req_stage_o,
  output logic [19:0]      req_delta_o,
  output logic [7:0]       req_marks_o,
  output logic             req_first_o
);
  localparam logic [19:0] MaxDelta = 20'hF_FFFF;  // not '1, which yosys 0.23 would turn into a 1
  localparam logic [19:0] OnTheWay = 20'd8;  // marks in flight at any rate; the model has the same constant

  logic proportional, may_hold;
  assign proportional = regs_i.ctrl_law == dcc_regs_pkg::CtrlLawProportional[0];
  assign may_hold     = regs_i.first_cut != '0;

  // Multiplies a mark count by 4 for the fast phase; saturates.
  function automatic logic [7:0] marks_by_4(input logic [7:0] value);
    marks_by_4 = (value[7:6] != '0) ? '1 : {value[5:0], 2'b00};
  endfunction
  function automatic logic [19:0] packets_by_4(input logic [19:0] value);
    packets_by_4 = (value[19:18] != '0) ? MaxDelta : {value[17:0], 2'b00};
  endfunction
  // Increments a count, which saturates at 255.
  function automatic logic [7:0] count(input logic [7:0] value);
    count = (value == 8'hFF) ? 8'hFF : value + 8'd1;
  endfunction
  // Saturates an account value to the rate unit's width.
  function automatic logic [31:0] account(input logic signed [33:0] value);
    if (value > dcc_controller_pkg::AccountLimit) account = dcc_controller_pkg::AccountLimit[31:0];
    else if (value < -dcc_controller_pkg::AccountLimit - 34'sd1)
      account = 32'(-dcc_controller_pkg::AccountLimit - 34'sd1);
    else account = value[31:0];
  endfunction

  logic                       s5_valid_q, s6_valid_q, s7_valid_q, s8_valid_q, s9_valid_q;
  dcc_controller_pkg::event_t s5_event_q, s6_event_q, s7_event_q;
  logic [FlowW-1:0]           s5_flow_q, s6_flow_q, s7_flow_q, s8_flow_q, s9_flow_q;
  logic [SlotW-1:0]           s5_slot_q, s6_slot_q, s7_slot_q, s8_slot_q, s9_slot_q;
  logic [31:0]                s5_now_q, s6_now_q, s7_now_q;
  logic                       s5_hit_q, s6_hit_q, s7_hit_q, s5_first_q, s6_first_q, s7_first_q;
  logic                       s5_stale_q, s6_stale_q, s7_stale_q, s5_coalesced_q, s6_coalesced_q;
  logic                       s7_coalesced_q;
  logic [19:0]                s5_delta_q, s6_delta_q, s7_delta_q;
  logic [16:0]                s5_lateness_q, s6_lateness_q, s7_lateness_q;
  dcc_controller_pkg::slot_t  s5_par_q, s6_par_q, s7_par_q;

  // ---------------------------------------------------------------------------------------------
  // Cycle 4: stored or initial slot; time since the last cut; packets added to the account
  // ---------------------------------------------------------------------------------------------
  logic                      is_timer4, is_cnp4;
  logic [31:0]               since;
  logic [19:0]               delta;
  logic [16:0]               early;  // ticks from the event until the slot's due tick
  dcc_controller_pkg::slot_t par4;
  dcc_controller_pkg::proportional_slot_t view4;  // view of the slot under the proportional law's names
  logic signed [33:0]        packets4;
  logic [31:0]               account4, s5_account_q;

  assign view4     = parameters_i;
  assign is_cnp4   = event_i.kind == dcc_controller_pkg::KindCnp;
  assign is_timer4 = event_i.kind == dcc_controller_pkg::KindTimer;
  assign since     = now_i - parameters_i.latest;
  assign delta     = first_i ? '0 : (since > 32'(MaxDelta)) ? MaxDelta : since[19:0];
  assign early     = parameters_i.due - event_i.data[16:0];
  assign dscp_o    = (is_timer4 || event_i.kind == dcc_controller_pkg::KindCommand)
                     ? parameters_i.dscp : event_i.dscp;

  always_comb begin
    par4 = parameters_i;
    if (first_i) begin
      par4        = '0;
      par4.bound  = 1'b1;
      par4.alpha  = proportional ? '0 : (regs_i.initial_alpha > dcc_controller_pkg::One16)
                                     ? dcc_controller_pkg::One16 : regs_i.initial_alpha;
    end
    packets4 = $signed(34'({event_i.packets, 8'h00}));
    if (is_cnp4) begin
      packets4 = $signed(34'({event_i.packets[7:0], 8'h00})) - $signed(34'({par4.alpha, 8'h00}));
      if (event_i.packets[7:0] == '0 || event_i.packets[7:0] == '1) packets4 = '0;
    end
    account4 = account($signed({{2{par4.length[31]}}, par4.length}) + packets4);
  end

  always_ff @(posedge clk_i) if (valid_i) begin
    s5_event_q     <= event_i;
    s5_flow_q      <= flow_i;
    s5_slot_q      <= slot_i;
    s5_now_q       <= now_i;
    s5_hit_q       <= hit_i;
    s5_first_q     <= first_i;
    s5_par_q       <= par4;
    s5_account_q   <= account4;
    s5_delta_q     <= delta;
    s5_lateness_q  <= now_i[16:0] - event_i.data[16:0];
    s5_stale_q     <= is_timer4 && parameters_i.bound && early != '0 && !early[16];
    s5_coalesced_q <= is_cnp4 && hit_i && delta < regs_i.decrease_period &&
                      (!proportional || (view4.phase == 8'd1 && event_i.marks != '0));
  end

  // ---------------------------------------------------------------------------------------------
  // Cycle 5: marks subtracted from the account; bytes beyond the threshold; products
  // ---------------------------------------------------------------------------------------------
  dcc_controller_pkg::proportional_slot_t view5;
  logic [23:0]  marked;
  logic [31:0]  s6_account_q, s6_added_q, s7_account_q;
  logic [32:0]  sum, s6_sum_q;
  logic         s6_over_q, s7_over_q;
  logic [31:0]  s7_length_q;  // byte event: sum of the lengths, or the part of this sum beyond the threshold
  logic [39:0]  rate_silence, rate_held, rate_marks;
  logic [23:0]  held_longer;
  logic [23:0]  s6_patience_q;

  assign view5       = s5_par_q;
  assign marked      = 24'(s5_event_q.marks) * 24'(regs_i.g);
  assign sum         = 33'(s5_par_q.length) + 33'(s5_event_q.data);
  assign held_longer = 24'(regs_i.timer_interval) * (24'(view5.phase) - 24'd1);

  rl_mul #(.BWidth(8)) u_silence (
    .clk_i(clk_i), .enable_i(s5_valid_q), .a_i(s5_par_q.rt), .b_i(view5.silent), .product_o(rate_silence)
  );
  rl_mul #(.BWidth(8)) u_held (
    .clk_i(clk_i), .enable_i(s5_valid_q), .a_i(s5_par_q.rt), .b_i(view5.phase), .product_o(rate_held)
  );
  rl_mul #(.BWidth(8)) u_marks (
    .clk_i(clk_i), .enable_i(s5_valid_q), .a_i(regs_i.r_hai), .b_i(view5.silent), .product_o(rate_marks)
  );

  always_ff @(posedge clk_i) if (s5_valid_q) begin
    s6_event_q     <= s5_event_q;
    s6_flow_q      <= s5_flow_q;
    s6_slot_q      <= s5_slot_q;
    s6_now_q       <= s5_now_q;
    s6_hit_q       <= s5_hit_q;
    s6_first_q     <= s5_first_q;
    s6_par_q       <= s5_par_q;
    s6_stale_q     <= s5_stale_q;
    s6_coalesced_q <= s5_coalesced_q;
    s6_delta_q     <= s5_delta_q;
    s6_lateness_q  <= s5_lateness_q;
    s6_account_q   <= account($signed({{2{s5_account_q[31]}}, s5_account_q}) -
                              $signed(34'(marked[23:8])));
    s6_added_q     <= s5_account_q;
    s6_sum_q       <= sum;
    s6_over_q      <= sum > 33'(regs_i.byte_threshold);
    // Ticks without a mark that end a rate hold: an interval and an eighth of the hold so far; or 64 intervals, if a
    // clear notification is promised.
    s6_patience_q  <= (view5.sent != '0)
                      ? 24'({regs_i.timer_interval, 6'b000000})
                      : 24'(regs_i.timer_interval) + 24'(held_longer[23:3]);
  end

  // ---------------------------------------------------------------------------------------------
  // Cycle 6: silence of the flow; is the target of a rate hold too high; owed marks
  // ---------------------------------------------------------------------------------------------
  dcc_controller_pkg::proportional_slot_t view6;
  logic         s7_silent_q, s7_overrated_q, s7_patient_q, s7_recent_q;
  logic [19:0]  behind, owed;
  logic [51:0]  owed_rate;
  logic [32:0]  over;

  assign view6 = s6_par_q;
  // A negative account is -(behind + 1) whole marks, or -behind without a fraction, rounded towards zero.
  assign behind = ~s6_account_q[27:8];
  assign owed   = (s6_account_q[31] && behind >= OnTheWay)
                  ? behind - OnTheWay + 20'(s6_account_q[7:0] == '0) : '0;
  assign over = s6_sum_q - 33'(regs_i.byte_threshold);

  rl_mul #(.BWidth(20)) u_owed (
    .clk_i(clk_i), .enable_i(s6_valid_q), .a_i(regs_i.r_hai), .b_i(owed), .product_o(owed_rate)
  );

  always_ff @(posedge clk_i) if (s6_valid_q) begin
    s7_event_q     <= s6_event_q;
    s7_flow_q      <= s6_flow_q;
    s7_slot_q      <= s6_slot_q;
    s7_now_q       <= s6_now_q;
    s7_hit_q       <= s6_hit_q;
    s7_first_q     <= s6_first_q;
    s7_par_q       <= s6_par_q;
    s7_stale_q     <= s6_stale_q;
    s7_coalesced_q <= s6_coalesced_q;
    s7_delta_q     <= s6_delta_q;
    s7_lateness_q  <= s6_lateness_q;
    s7_account_q   <= (s6_event_q.kind == dcc_controller_pkg::KindBytes) ? s6_added_q : s6_account_q;
    s7_over_q      <= s6_over_q;
    s7_length_q    <= !s6_over_q ? s6_sum_q[31:0] : over[32] ? '1 : over[31:0];
    s7_silent_q    <= view6.silent >= regs_i.silence &&
                      (view6.silent == '1 || rate_silence >= 40'({regs_i.r_hai, 2'b00}));
    s7_overrated_q <= view6.silent != '1 && 41'(rate_held) >= {rate_marks, 1'b0};
    s7_patient_q   <= s6_delta_q != MaxDelta && 24'(s6_delta_q) < s6_patience_q;
    s7_recent_q    <= s6_delta_q < 20'(regs_i.timer_interval);
  end

  // ---------------------------------------------------------------------------------------------
  // Cycle 7: the plan of the event's effects
  // ---------------------------------------------------------------------------------------------
  dcc_controller_pkg::plan_t plan, s8_plan_q, s9_plan_q;
  dcc_controller_pkg::proportional_slot_t view7, ended, next;
  logic        holding, fast_phase, from_target, ask_first, s8_from_target_q, s8_first_q, s9_first_q;
  logic [7:0]  ask_marks, s8_marks_q, s9_marks_q;
  logic [19:0] ask_delta, s8_delta_q, s9_delta_q, unmarked, whole;
  logic        clear, better;
  logic [1:0]  stage, s8_stage_q, s9_stage_q;
  logic [31:0] s9_rc_q, initial_rate;
  logic [16:0] next_due, sent, s8_soonest_q, put_off;
  logic [8:0]  held;
  logic [7:0]  most, least;

  assign view7        = s7_par_q;
  assign clear        = proportional && s7_event_q.kind == dcc_controller_pkg::KindCnp &&
                        s7_event_q.marks == '0;
  assign better       = s7_event_q.packets[7:0] > s7_event_q.marks;  // at least one packet arrived without a mark
  assign fast_phase   = view7.phase > dcc_controller_pkg::MaxHold;
  assign holding      = view7.phase != '0 && !fast_phase;
  assign put_off      = s8_plan_q.slot.due - s8_soonest_q;
  assign next_due     = s7_now_q[16:0] +
                        ((regs_i.timer_interval == '0) ? 17'd1 : 17'(regs_i.timer_interval));
  assign initial_rate = (regs_i.initial_rate < hi_i) ? regs_i.initial_rate : hi_i;
  assign held         = 9'(view7.silent) + 9'(s7_event_q.marks);
  assign sent         = (18'(view7.sent) + 18'(s7_event_q.packets) >
                         18'(dcc_controller_pkg::One16)) ? dcc_controller_pkg::One16
                        : view7.sent + 17'(s7_event_q.packets);
  assign whole        = view7.account[31] ? 20'd0 : view7.account[27:8];
  assign unmarked     = s7_silent_q ? ((s7_par_q.rt[31:17] == '0) ? 20'd1 : 20'(s7_par_q.rt[31:17]))
                        : whole;
  assign most         = (plan.slot.t > plan.slot.bc) ? plan.slot.t : plan.slot.bc;
  assign least        = (plan.slot.t > plan.slot.bc) ? plan.slot.bc : plan.slot.t;
  assign stage        = proportional ? rate_lut_pkg::StageAdditive
                        : (most < regs_i.f) ? rate_lut_pkg::StageRecovery
                        : (least > regs_i.f) ? rate_lut_pkg::StageHyper : rate_lut_pkg::StageAdditive;

  // The slot after a rate hold: the rate equals the target, and the fast phase begins.
  always_comb begin
    ended         = s7_par_q;
    ended.rc      = view7.rt;
    ended.phase   = 8'd0 - 8'(regs_i.brisk);
    ended.silent  = '0;
    ended.sent    = '0;
    ended.account = '0;
  end

  // Without an event the plan is 0 and nothing is calculated, which saves power and simulation time.
  always_comb begin
    plan        = '0;
    next        = '0;
    from_target = 1'b0;
    ask_first   = s7_first_q;
    ask_marks   = s7_event_q.marks;
    ask_delta   = '0;
    if (s7_valid_q) begin
      plan.kind      = s7_event_q.kind;
      plan.query     = s7_event_q.query;
      plan.packets   = (s7_event_q.kind == dcc_controller_pkg::KindCnp) ? 16'(s7_event_q.data[7:0])
                       : s7_event_q.packets;
      plan.late      = s7_event_q.late;
      plan.lateness  = s7_lateness_q;
      plan.hit       = s7_hit_q;
      plan.first     = s7_first_q;
      plan.coalesced = s7_coalesced_q;
      plan.clear     = clear;
      plan.lo        = lo_i;
      plan.hi        = hi_i;
      plan.slot      = s7_par_q;
      if (s7_first_q) begin
        plan.slot.rc = initial_rate;
        plan.slot.rt = initial_rate;
      end
      plan.old_rc = s7_par_q.rc;

      unique case (s7_event_q.kind)
        dcc_controller_pkg::KindCnp: if (clear) begin
          if (s7_hit_q && holding) begin  // the clear notification ends the rate hold
            plan.write = 1'b1;
            plan.slot  = ended;
          end
        end else if ((s7_hit_q || s7_first_q) && !s7_coalesced_q) begin
          plan.write       = 1'b1;
          plan.slot.dscp   = s7_event_q.dscp;
          plan.slot.latest = s7_now_q;
          plan.start       = s7_first_q;
          plan.restart     = !s7_first_q && regs_i.ctrl_timer_restart;
          if (plan.start || plan.restart) plan.slot.due = next_due;
          if (proportional) begin
            next = plan.slot;
            if (holding) begin
              next.silent = held[8] ? '1 : held[7:0];  // number of marks in the rate hold so far
              if (better) begin
                next.rc      = ended.rc;
                next.phase   = ended.phase;
                next.silent  = '0;
                next.sent    = '0;
                next.account = '0;
              end
            end else begin
              plan.cut      = 1'b1;
              if (fast_phase) ask_marks = marks_by_4(s7_event_q.marks);
              next.sent     = '0;
              next.account  = s7_account_q;
              plan.may_hold = may_hold && !s7_first_q;
              if (plan.may_hold) plan.owed = (owed_rate[51:35] != '0) ? '1 : owed_rate[34:0];
              if (s7_first_q && may_hold) begin  // first step of a rate hold without a cut before
                next.phase   = 8'd1;
                next.silent  = '0;
                next.sent    = 17'(s7_event_q.packets[7:0] == s7_event_q.marks);  // a clear notification is promised
                next.account = '0;
                from_target  = 1'b1;
                ask_marks    = '0;
              end
            end
            plan.slot = next;
          end else begin
            plan.cut         = 1'b1;
            plan.keep        = regs_i.ctrl_keep_target && !s7_first_q && s7_par_q.t == '0;
            plan.slot.t      = '0;
            plan.slot.bc     = '0;
            plan.slot.length = '0;
            ask_delta        = s7_delta_q;
          end
        end
        dcc_controller_pkg::KindBytes: if (s7_hit_q) begin
          plan.write     = 1'b1;
          plan.slot.dscp = s7_event_q.dscp;
          if (proportional) begin
            next = plan.slot;
            if (!holding) begin
              next.sent    = sent;
              next.account = s7_account_q;
              next.silent  = '0;
            end
            plan.slot = next;
          end else if (regs_i.ctrl_byte_counter) begin
            plan.slot.length = s7_length_q;
            plan.increase    = s7_over_q;
            if (s7_over_q) plan.slot.bc = count(s7_par_q.bc);
          end
        end
        dcc_controller_pkg::KindTimer: begin
          plan.unbound = !s7_par_q.bound;
          plan.start   = s7_par_q.bound;  // a stale timer event restarts the timer for the slot's due tick
          plan.live    = s7_par_q.bound && !s7_stale_q;
          if (plan.live) begin
            plan.write    = 1'b1;
            plan.slot.due = next_due;
            if (!proportional) begin
              plan.slot.t   = count(s7_par_q.t);
              plan.increase = 1'b1;
            end else begin
              next = plan.slot;
              if (holding && s7_patient_q && view7.phase < dcc_controller_pkg::MaxHold) begin
                next.phase  = count(view7.phase);
                plan.cut    = s7_recent_q && s7_overrated_q;
                from_target = 1'b1;
                ask_first   = 1'b1;
                ask_marks   = '0;
              end else if (holding) begin
                next.phase    = ended.phase;
                next.silent   = 8'd1;  // counts the timer interval that has just ended
                next.sent     = '0;
                next.account  = '0;
                plan.increase = 1'b1;
              end else begin
                plan.increase = 1'b1;
                ask_delta     = fast_phase ? packets_by_4(unmarked) : unmarked;
                // The fast phase counts intervals without a packet for silent flows only; 255 is the last, then 0.
                if (fast_phase && (view7.silent == '0 || s7_silent_q)) next.phase = view7.phase + 8'd1;
                next.silent   = count(view7.silent);
                if (!s7_silent_q && !view7.account[31]) next.account = 32'(view7.account[7:0]);
              end
              plan.slot = next;
            end
          end
        end
        default: begin  // command event: query of a rate or release of a slot
          if (!s7_event_q.query && s7_hit_q) begin
            plan.write      = 1'b1;
            plan.slot.bound = 1'b0;
          end
        end
      endcase
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Cycles 8 and 9: the request to the rate unit
  // ---------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {s5_valid_q, s6_valid_q, s7_valid_q, s8_valid_q, s9_valid_q} <= '0;
    else {s5_valid_q, s6_valid_q, s7_valid_q, s8_valid_q, s9_valid_q} <=
         {valid_i, s5_valid_q, s6_valid_q, s7_valid_q, s8_valid_q};
  end

  always_ff @(posedge clk_i) begin
    if (s7_valid_q) begin
      s8_flow_q        <= s7_flow_q;
      s8_slot_q        <= s7_slot_q;
      s8_plan_q        <= plan;
      s8_soonest_q     <= s7_now_q[16:0] + 17'd2;
      s8_from_target_q <= from_target;
      s8_first_q       <= ask_first;
      s8_marks_q       <= ask_marks;
      s8_delta_q       <= ask_delta;
      s8_stage_q       <= stage;
    end
    if (s8_valid_q) begin
      s9_flow_q        <= s8_flow_q;
      s9_slot_q        <= s8_slot_q;
      s9_plan_q        <= s8_plan_q;
      // A start reaches the wheel within a tick of its issue, so its due tick cannot be the next tick.
      s9_plan_q.start_at <= put_off[16] ? s8_soonest_q : s8_plan_q.slot.due;
      s9_rc_q          <= s8_from_target_q ? s8_plan_q.slot.rt : s8_plan_q.slot.rc;
      s9_first_q       <= s8_first_q;
      s9_marks_q       <= s8_marks_q;
      s9_delta_q       <= s8_delta_q;
      s9_stage_q       <= s8_stage_q;
    end
  end

  assign valid_o        = s9_valid_q;
  assign flow_o         = s9_flow_q;
  assign slot_o         = s9_slot_q;
  assign plan_o         = s9_plan_q;
  assign req_valid_o    = s9_valid_q && (s9_plan_q.cut || s9_plan_q.increase);
  assign req_increase_o = s9_plan_q.increase;
  assign req_rc_o       = s9_rc_q;
  assign req_stage_o    = s9_stage_q;
  assign req_delta_o    = s9_delta_q;
  assign req_marks_o    = s9_marks_q;
  assign req_first_o    = s9_first_q;
endmodule
