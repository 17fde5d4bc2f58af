// Rate unit: calculates cuts and increases of rates by look-up, one result per cycle.
//
// A pipeline of rate_lut_pkg::Latency register stages, which moves as a whole and stops while a response waits for its
// consumer. docs/formats.md defines the arithmetic bit by bit; doc/theory.md explains the stages. A register sN_x_q is
// an input of stage N.
module rate_unit #(
  parameter int unsigned Secded = 0,  // 1: the tables correct a wrong bit (ram_guarded.sv)
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,  // pins of the RAMs (ram_pkg.sv)
  output logic        init_done_o,     // low while the tables are swept after reset

  input  dcc_rate_pkg::regs_t regs_i,

  // Request port. req_ready_o does not depend on req_valid_i.
  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  logic        req_increase_i,  // 1: the request is an increase; 0: a cut
  input  logic [31:0] req_rc_i,
  input  logic [31:0] req_rt_i,        // target rate; for cuts used by the proportional law only
  input  logic [5:0]  req_dscp_i,
  input  logic [1:0]  req_stage_i,     // increases only: rate_lut_pkg::StageRecovery ... StageHyper
  input  logic [16:0] req_alpha_i,     // cuts only: alpha in 1.16, at most 1.0
  input  logic [19:0] req_delta_i,     // cut: ticks since the last cut, saturated; increase, proportional law:
                                       // unmarked packets
  input  logic [7:0]  req_marks_i,     // cuts only: number of marks that a CNP reports
  input  logic        req_first_i,     // cuts only: the first cut of a slot, or a step of a rate hold

  // Response port: responses in the order of the requests, stable until the consumer takes them.
  output logic        rsp_valid_o,
  input  logic        rsp_ready_i,
  output logic        rsp_increase_o,
  output logic [31:0] rsp_rc_o,
  output logic [31:0] rsp_rt_o,
  output logic [16:0] rsp_alpha_o,     // cuts only: new value of alpha
  output logic        rsp_at_maximum_o,  // increases only: the rate is the greatest rate of its DSCP

  // Table accesses: one at a time, inputs stable until tbl_ready_o. A read passes the pipeline between two requests,
  // so the read waits until earlier responses are taken.
  input  logic        tbl_valid_i,
  input  logic        tbl_write_i,
  input  logic [2:0]  tbl_table_i,
  input  logic [8:0]  tbl_index_i,  // index of a table access; beyond the table writes do nothing, and reads return 0
  input  logic [31:0] tbl_wdata_i,
  output logic        tbl_ready_o,
  output logic [31:0] tbl_rdata_o,     // word read from the table, valid with tbl_ready_o

  output logic        busy_o,          // a request or a table read is in the pipeline
  // Report on the table words used two cycles ago (ram_guarded.sv); bit 0: a word was wrong.
  output logic [ReportW-1:0] error_o
);
  localparam int unsigned Last = rate_lut_pkg::Latency;

  if (Secded > 1) begin : g_secded
    $fatal(1, "rate_unit: Secded must be 0 or 1");
  end

  // Part of a step or of a lasting cut that is used at this target: 1, or eight to fifteen sixteenths, shifted right.
  typedef struct packed {
    logic       full;    // 1: the whole value is used
    logic [2:0] over;    // number of sixteenths beyond eight
    logic [2:0] places;  // right shift of the part, at most 6
  } step_part_t;

  // ---------------------------------------------------------------------------------------------
  // Registers that several stages read
  // ---------------------------------------------------------------------------------------------
  logic [1:0]  s1_op_q, s2_op_q, s4_op_q, s6_op_q, s7_op_q, s8_op_q, s9_op_q, s10_op_q, s11_op_q;
  logic [1:0]  s14_op_q, s15_op_q, s16_op_q;
  // Stage of an increase, or number of the table of a read.
  logic [2:0]  s1_select_q, s4_select_q, s8_select_q, s9_select_q, s11_select_q;
  // DSCP of a request, or index of a read.
  logic [8:0]  s1_index_q, s2_index_q, s6_index_q, s10_index_q, s11_index_q;
  // Current rate; for a cut by the proportional law the target rate, from which the unit calculates the new target.
  logic [31:0] s1_rc_q, s11_rc_q, s12_rc_q, s13_rc_q, s14_rc_q;
  // Multiplicand: Rc for a cut, Rt for an increase.
  logic [31:0] s1_base_q, s9_base_q, s11_base_q;
  // Part of a step that is used at a low target.
  step_part_t  s2_part_q, s8_steps_q, s10_part_q, s11_part_q, s12_part_q;
  // Second result: the new alpha of a cut, the additive step of an increase, or the word of a table read.
  logic [31:0] s2_extra_q, s3_extra_q, s4_extra_q, s5_extra_q, s6_extra_q, s7_extra_q, s8_extra_q;
  logic [31:0] s9_extra_q, s10_extra_q, s11_extra_q, s12_extra_q, s13_extra_q, s14_extra_q;
  logic [31:0] s15_extra_q, s16_extra_q;
  logic        s1_first_q, s9_first_q, s10_first_q, s11_first_q;
  logic [7:0]  s1_marks_q, s6_marks_q;
  logic [16:0] s1_alpha_q, s4_alpha_q;
  logic [15:0] s2_f_dec_q, s6_f_dec_q;
  logic [11:0] s3_n_q;         // number of alpha intervals since the last cut
  logic [16:0] s7_argument_q;  // argument of the decrease table

  // ---------------------------------------------------------------------------------------------
  // Flow control: which request enters, which one leaves, when all stages move
  // ---------------------------------------------------------------------------------------------
  logic [Last:1] valid_q;
  logic          move;        // every stage of the pipeline may move
  logic          step;        // the stages may move, and at least one of them has work
  logic          init_done;
  logic          read_wait_q;  // a table read is in the pipeline
  logic          read_enter, read_leave, request_enter;
  logic [1:0]    enter_op;

  assign rsp_valid_o   = valid_q[Last] && s16_op_q != rate_lut_pkg::OpRead;
  assign read_leave    = valid_q[Last] && s16_op_q == rate_lut_pkg::OpRead;
  assign move          = !rsp_valid_o || rsp_ready_i;
  assign read_enter    = tbl_valid_i && !tbl_write_i && init_done && !read_wait_q && move;
  assign req_ready_o   = move && init_done && !read_enter;
  assign request_enter = req_valid_i && req_ready_o;
  assign enter_op      = read_enter ? rate_lut_pkg::OpRead
                                    : req_increase_i ? rate_lut_pkg::OpIncrease
                                                     : rate_lut_pkg::OpDecrease;
  assign init_done_o   = init_done;
  assign busy_o        = valid_q != '0;
  // A table word leaves from the last stage; the other stages only pass the word on.
  assign step          = move && (valid_q[Last-1:1] != '0 || request_enter || read_enter);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q     <= '0;
      read_wait_q <= 1'b0;
    end else begin
      if (move) valid_q <= {valid_q[Last-1:1], request_enter || read_enter};
      if (read_enter)      read_wait_q <= 1'b1;
      else if (read_leave) read_wait_q <= 1'b0;
    end
  end

  assign tbl_ready_o = tbl_valid_i && (tbl_write_i ? init_done : read_leave);

  // ---------------------------------------------------------------------------------------------
  // Tables
  // ---------------------------------------------------------------------------------------------
  logic [31:0] factor, floor_word, ceiling_word;
  logic [16:0] decay_hi, decay_lo, decrease, decrease_next;

  rl_tables #(.Secded(Secded)) u_tables (
    .clk_i           (clk_i),
    .ram_pins_i(ram_pins_i),
    .rst_ni          (rst_ni),
    .init_done_o     (init_done),
    .write_i         (tbl_valid_i && tbl_write_i),
    .write_table_i   (tbl_table_i),
    .write_index_i   (tbl_index_i),
    .write_word_i    (tbl_wdata_i),
    .factor_ren_i    (request_enter || read_enter),
    .factor_index_i  (read_enter ? tbl_index_i[5:0] : req_dscp_i),
    .factor_o        (factor),
    .decay_ren_i     (move && valid_q[3]),
    .decay_hi_index_i(s3_n_q[11:6]),
    .decay_lo_index_i(s3_n_q[5:0]),
    .decay_hi_o      (decay_hi),
    .decay_lo_o      (decay_lo),
    .decrease_ren_i  (move && valid_q[7]),
    .decrease_index_i(s7_argument_q[16:8]),
    .decrease_o      (decrease),
    .decrease_next_o (decrease_next),
    .limits_ren_i    (move && valid_q[10]),
    .limits_index_i  (s10_index_q[5:0]),
    .floor_o         (floor_word),
    .ceiling_o       (ceiling_word),
    .error_o         (error_o)
  );

  // ---------------------------------------------------------------------------------------------
  // Values that every stage passes on unchanged
  // ---------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (step) begin
      s1_op_q     <= enter_op;
      s1_select_q <= read_enter ? tbl_table_i : 3'(req_stage_i);
      s1_index_q  <= read_enter ? tbl_index_i : 9'(req_dscp_i);
      s1_rc_q     <= (req_increase_i || regs_i.law) ? req_rc_i : req_rt_i;
      s1_base_q   <= req_increase_i ? req_rt_i : req_rc_i;
      s1_first_q  <= req_first_i;
      s1_marks_q  <= req_marks_i;
      s1_alpha_q  <= req_alpha_i;

      s2_op_q     <= s1_op_q;
      s7_op_q     <= s6_op_q;
      s8_op_q     <= s7_op_q;
      s9_op_q     <= s8_op_q;
      s10_op_q    <= s9_op_q;
      s11_op_q    <= s10_op_q;
      s15_op_q    <= s14_op_q;
      s16_op_q    <= s15_op_q;
      s9_select_q <= s8_select_q;
      s2_index_q  <= s1_index_q;
      s11_index_q <= s10_index_q;
      s12_rc_q    <= s11_rc_q;
      s13_rc_q    <= s12_rc_q;
      s14_rc_q    <= s13_target;
    end
  end

  // Delays of values that a later stage needs again.
  rl_delay #(.Width(2), .Depth(2)) u_op_4 (
    .clk_i(clk_i), .enable_i(step), .d_i(s2_op_q), .q_o(s4_op_q)
  );
  rl_delay #(.Width(2), .Depth(2)) u_op_6 (
    .clk_i(clk_i), .enable_i(step), .d_i(s4_op_q), .q_o(s6_op_q)
  );
  rl_delay #(.Width(2), .Depth(3)) u_op_14 (
    .clk_i(clk_i), .enable_i(step), .d_i(s11_op_q), .q_o(s14_op_q)
  );
  rl_delay #(.Width(3), .Depth(3)) u_select_4 (
    .clk_i(clk_i), .enable_i(step), .d_i(s1_select_q), .q_o(s4_select_q)
  );
  rl_delay #(.Width(3), .Depth(4)) u_select_8 (
    .clk_i(clk_i), .enable_i(step), .d_i(s4_select_q), .q_o(s8_select_q)
  );
  rl_delay #(.Width(3), .Depth(2)) u_select_11 (
    .clk_i(clk_i), .enable_i(step), .d_i(s9_select_q), .q_o(s11_select_q)
  );
  rl_delay #(.Width(9), .Depth(4)) u_index_6 (
    .clk_i(clk_i), .enable_i(step), .d_i(s2_index_q), .q_o(s6_index_q)
  );
  rl_delay #(.Width(9), .Depth(4)) u_index_10 (
    .clk_i(clk_i), .enable_i(step), .d_i(s6_index_q), .q_o(s10_index_q)
  );
  rl_delay #(.Width(32), .Depth(10)) u_rc_11 (
    .clk_i(clk_i), .enable_i(step), .d_i(s1_rc_q), .q_o(s11_rc_q)
  );
  rl_delay #(.Width(7), .Depth(6)) u_steps_8 (
    .clk_i(clk_i), .enable_i(step), .d_i(s2_part_q), .q_o(s8_steps_q)
  );
  rl_delay #(.Width(7), .Depth(2)) u_part_10 (
    .clk_i(clk_i), .enable_i(step), .d_i(s8_steps_q), .q_o(s10_part_q)
  );
  rl_delay #(.Width(32), .Depth(8)) u_base_9 (
    .clk_i(clk_i), .enable_i(step), .d_i(s1_base_q), .q_o(s9_base_q)
  );
  rl_delay #(.Width(32), .Depth(2)) u_base_11 (
    .clk_i(clk_i), .enable_i(step), .d_i(s9_base_q), .q_o(s11_base_q)
  );
  rl_delay #(.Width(1), .Depth(8)) u_first_9 (
    .clk_i(clk_i), .enable_i(step), .d_i(s1_first_q), .q_o(s9_first_q)
  );
  rl_delay #(.Width(8), .Depth(5)) u_marks_6 (
    .clk_i(clk_i), .enable_i(step), .d_i(s1_marks_q), .q_o(s6_marks_q)
  );
  rl_delay #(.Width(17), .Depth(3)) u_alpha_4 (
    .clk_i(clk_i), .enable_i(step), .d_i(s1_alpha_q), .q_o(s4_alpha_q)
  );
  rl_delay #(.Width(16), .Depth(4)) u_f_dec_6 (
    .clk_i(clk_i), .enable_i(step), .d_i(s2_f_dec_q), .q_o(s6_f_dec_q)
  );

  // Part of a step: all of it for targets from 512 Mb/s on; below, by the target's four highest bits.
  function automatic step_part_t part_of(input logic [31:0] target);
    part_of = {1'b0, 3'd0, 3'd6};
    for (int unsigned i = 0; i < 7; i++) begin
      if (target[10+i]) part_of = {1'b0, target[7+i+:3], 3'(6 - i)};
    end
    if (target[31:17] != '0) part_of = {1'b1, 3'd0, 3'd0};
  endfunction

  // Part of a value without its final right shift, truncated; a truncated value may be shifted later.
  function automatic logic [31:0] sixteenths(input logic [31:0] value, input logic full, input logic [2:0] over);
    sixteenths = full ? value
                      : 32'((36'(value) * 36'd8 + (over[2] ? 36'(value) * 36'd4 : '0) +
                             (over[1] ? 36'(value) * 36'd2 : '0) + (over[0] ? 36'(value) : '0)) >> 4);
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Stages 1 and 2: alpha intervals since the last cut, or the additive step with the DSCP's factor
  // ---------------------------------------------------------------------------------------------
  logic [31:0] step_or_recip;
  logic [19:0] delta_or_factor;
  logic [19:0] s1_delta_q;
  logic [31:0] s1_target;
  assign s1_target = (s1_op_q == rate_lut_pkg::OpIncrease) ? s1_base_q : s1_rc_q;
  logic [51:0] s2_product;
  logic [11:0] n;
  logic [51:0] additive;  // products with a factor are rounded and shifted, products with a packet count are not

  always_comb begin
    step_or_recip   = regs_i.alpha_recip;
    delta_or_factor = s1_delta_q;
    if (s1_op_q == rate_lut_pkg::OpIncrease) begin
      if (regs_i.law) delta_or_factor = {4'h0, factor[15:0]};
      unique case (s1_select_q[1:0])
        rate_lut_pkg::StageAdditive: step_or_recip = regs_i.r_ai;
        rate_lut_pkg::StageHyper:    step_or_recip = regs_i.r_hai;
        default:                     step_or_recip = '0;
      endcase
    end
  end

  rl_mul #(.BWidth(20)) u_mul_step (
    .clk_i    (clk_i),
    .enable_i (step),
    .a_i      (step_or_recip),
    .b_i      (delta_or_factor),
    .product_o(s2_product)
  );
  assign additive = regs_i.law ? 52'(s2_product[51:8]) + 52'(s2_product[7]) : s2_product;

  always_comb begin
    n = (s2_product[51:44] != '0) ? 12'hFFF : s2_product[43:32];
    if (s2_op_q == rate_lut_pkg::OpRead) n = {s2_index_q[5:0], s2_index_q[5:0]};
  end

  always_ff @(posedge clk_i) begin
    if (step) begin
      s1_delta_q <= (req_first_i && !req_increase_i) ? '0 : req_delta_i;
      s2_f_dec_q <= factor[31:16];
      s2_part_q  <= part_of(regs_i.law ? '1 : s1_target);
      s2_extra_q <= factor;
      s3_extra_q <= s2_extra_q;
      // A step of 2^32 or more is saturated, since the sum then reaches the limit in any case.
      if (s2_op_q == rate_lut_pkg::OpIncrease) begin
        s3_extra_q <= (additive[51:32] != '0) ? '1 : additive[31:0];
      end
      s3_n_q     <= n;
      s4_extra_q <= s3_extra_q;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Stages 4 and 5: decay of alpha, first by the high digits of n, then by the low digits
  // ---------------------------------------------------------------------------------------------
  logic [16:0] s5_alpha_q, s5_decay_lo_q, s6_alpha_q, s7_alpha_q;
  logic [33:0] decayed_hi, decayed;
  assign decayed_hi = 34'(s4_alpha_q) * 34'(decay_hi) + 34'h8000;
  assign decayed    = 34'(s5_alpha_q) * 34'(s5_decay_lo_q) + 34'h8000;

  always_ff @(posedge clk_i) begin
    if (step) begin
      s5_alpha_q    <= decayed_hi[32:16];
      s5_decay_lo_q <= decay_lo;
      s6_alpha_q    <= decayed[32:16];
      s5_extra_q    <= s4_extra_q;
      if (s4_op_q == rate_lut_pkg::OpRead) begin
        if (s4_select_q == rate_lut_pkg::TableDecayHi) s5_extra_q <= 32'(decay_hi);
        if (s4_select_q == rate_lut_pkg::TableDecayLo) s5_extra_q <= 32'(decay_lo);
      end
      s6_extra_q <= s5_extra_q;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Stages 6 and 7: argument of the decrease table; the new alpha
  // ---------------------------------------------------------------------------------------------
  logic [17:0] source;
  logic [16:0] argument;
  logic [16:0] s7_gain_q;
  logic [16:0] rest;
  logic [33:0] scaled;
  logic [32:0] gain;
  logic [17:0] new_alpha;
  assign source = regs_i.cut_by_marks ? (18'(s6_marks_q) << regs_i.mark_shift) : 18'(s6_alpha_q);
  assign scaled = 34'(source) * 34'(s6_f_dec_q);
  assign rest   = rate_lut_pkg::One16 - s6_alpha_q;
  assign gain   = 33'(rest) * 33'(regs_i.g) + 33'h8000;

  always_comb begin
    argument = (scaled[33:12] > 22'(rate_lut_pkg::One16)) ? rate_lut_pkg::One16 : scaled[28:12];
    if (s6_op_q == rate_lut_pkg::OpRead) argument = {s6_index_q, 8'h00};
  end
  assign new_alpha = 18'(s7_alpha_q) + 18'(s7_gain_q);

  always_ff @(posedge clk_i) begin
    if (step) begin
      s7_argument_q <= argument;
      s7_gain_q     <= gain[32:16];
      s7_alpha_q    <= s6_alpha_q;
      s7_extra_q    <= s6_extra_q;
      s8_extra_q    <= s7_extra_q;
      if (s7_op_q == rate_lut_pkg::OpDecrease) begin
        s8_extra_q <= (new_alpha > 18'(rate_lut_pkg::One16)) ? 32'(rate_lut_pkg::One16)
                                                             : 32'(new_alpha);
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Stage 8: the multiplier, by linear interpolation between two entries of the decrease table; the argument by which
  // the proportional law lowers the target if that multiplier leaves nothing of the rate
  // ---------------------------------------------------------------------------------------------
  // From this argument on a cut by marks takes the whole rate; beyond it marks count for the target only.
  localparam logic [16:0] Whole = 17'h0_4000;
  logic [7:0]         s8_part_q;
  logic [8:0]         s8_entry_q;
  logic [16:0]        beyond, s9_beyond_q;
  logic signed [17:0] slope;
  logic signed [26:0] rise;
  logic signed [26:0] line;
  logic [16:0]        s9_multiplier_q;
  assign slope = $signed({1'b0, decrease_next}) - $signed({1'b0, decrease});
  assign rise  = 27'(slope) * $signed(27'({1'b0, s8_part_q}));
  assign line  = $signed({2'b00, decrease, 8'h80}) + rise;

  // At most once, twice below 256 Mb/s and four times the whole below 128 Mb/s of target.
  always_comb begin
    beyond = {s8_entry_q, s8_part_q};
    if (s8_steps_q.places == 3'd1 && s8_entry_q[8:7] != '0) beyond = {Whole[15:0], 1'b0};
    if (s8_steps_q.places == '0 || s8_entry_q[8:6] == '0) beyond = Whole;
  end

  always_ff @(posedge clk_i) begin
    if (step) begin
      s8_part_q       <= s7_argument_q[7:0];
      s8_entry_q      <= s7_argument_q[16:8];
      s9_beyond_q     <= beyond;
      s9_multiplier_q <= line[24:8];
      s9_extra_q      <= s8_extra_q;
      if (s8_op_q == rate_lut_pkg::OpRead && s8_select_q == rate_lut_pkg::TableDecrease) begin
        s9_extra_q <= 32'(decrease);
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Stages 9 and 10: the rate times the multiplier, or the multiplicative increase
  // ---------------------------------------------------------------------------------------------
  logic [16:0] multiplier;
  logic [48:0] s10_product;
  logic [31:0] s11_product_q;
  logic        round;
  logic        s9_first_cut, s9_whole, s10_whole_q, s11_whole_q;
  assign s9_first_cut = s9_first_q && regs_i.first_cut != '0;
  // A cut of the proportional law that leaves nothing: the product is then what the target's fall is made of.
  assign s9_whole     = s9_op_q == rate_lut_pkg::OpDecrease && !regs_i.law && !s9_first_cut &&
                        s9_multiplier_q == '0 && regs_i.cut_floor == '0;

  always_comb begin
    multiplier = (s9_multiplier_q < regs_i.cut_floor) ? regs_i.cut_floor : s9_multiplier_q;
    if (s9_whole) multiplier = s9_beyond_q;
    if (s9_first_cut) multiplier = regs_i.first_cut;
    if (s9_op_q == rate_lut_pkg::OpIncrease) begin
      multiplier = (s9_select_q[1:0] == rate_lut_pkg::StageRecovery) ? '0 : {1'b0, regs_i.mi};
    end
  end

  rl_mul #(.BWidth(17)) u_mul_rate (
    .clk_i    (clk_i),
    .enable_i (step),
    .a_i      (s9_base_q),
    .b_i      (multiplier),
    .product_o(s10_product)
  );
  assign round = s10_op_q == rate_lut_pkg::OpIncrease && s10_product[15];

  always_ff @(posedge clk_i) begin
    if (step) begin
      s11_product_q <= !s10_whole_q ? s10_product[47:16] + 32'(round)
                       : (s10_product[47:46] != '0) ? '1 : s10_product[45:14];
      s10_whole_q   <= s9_whole;
      s11_whole_q   <= s10_whole_q;
      s10_extra_q   <= s9_extra_q;
      s11_extra_q   <= (s10_op_q == rate_lut_pkg::OpIncrease)
                       ? sixteenths(s10_extra_q, s10_part_q.full, s10_part_q.over) : s10_extra_q;
      s11_part_q    <= s10_part_q;
      s10_first_q   <= s9_first_cut;
      s11_first_q   <= s10_first_q;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Stages 11 and 12: rate limits of the DSCP; the sum of an increase
  // ---------------------------------------------------------------------------------------------
  logic [31:0] s12_lo_q, s12_cap_q, s13_lo_q, s13_hi_q;
  logic [33:0] s12_value_q, s13_value_q;

  // The proportional law subtracts from Rt a quarter of what a cut takes off Rc, or half of Rt with FIRST_CUT; the
  // next increase returns the rest to Rc. DCQCN's law, and an increase, subtract nothing here. Below 512 Mb/s of
  // Rt, that quarter and the additive step are in proportion to Rt. If the marks of a cut would take more than the
  // whole of Rc, Rt falls by a quarter of all that they would take.
  logic [31:0] s12_taken_q, s13_lasting_q, s13_target;
  logic        s12_first_q;
  assign s13_target = (s13_rc_q > s13_lasting_q) ? s13_rc_q - s13_lasting_q : '0;

  always_ff @(posedge clk_i) begin
    if (step) begin
      s12_lo_q    <= (regs_i.r_min > floor_word) ? regs_i.r_min : floor_word;
      s12_cap_q   <= (regs_i.r_max < ceiling_word) ? regs_i.r_max : ceiling_word;
      s12_value_q <= (s11_op_q == rate_lut_pkg::OpIncrease)
                     ? 34'(s11_base_q) + (34'(s11_extra_q) >> s11_part_q.places) + 34'(s11_product_q)
                     : s11_whole_q ? '0 : 34'(s11_product_q);
      s12_extra_q <= s11_extra_q;
      s12_taken_q <= s11_whole_q ? s11_product_q : s11_base_q - s11_product_q;
      s12_first_q <= s11_first_q;
      s12_part_q  <= s11_part_q;
      if (s11_op_q != rate_lut_pkg::OpDecrease || regs_i.law) begin
        s12_taken_q <= '0;
        s12_first_q <= 1'b0;
      end
      s13_lasting_q <= s12_first_q ? s12_rc_q >> 1
                                   : sixteenths(s12_taken_q, s12_part_q.full, s12_part_q.over) >>
                                         (4'd2 + 4'(s12_part_q.places));
      if (s11_op_q == rate_lut_pkg::OpRead) begin
        if (s11_select_q == rate_lut_pkg::TableFloor) s12_extra_q <= floor_word;
        if (s11_select_q == rate_lut_pkg::TableCeiling) s12_extra_q <= ceiling_word;
        if (s11_select_q > rate_lut_pkg::TableDecrease) s12_extra_q <= '0;
        if (s11_index_q[8:6] != '0 && s11_select_q != rate_lut_pkg::TableDecrease) begin
          s12_extra_q <= '0;
        end
        if (s11_index_q > 9'd256) s12_extra_q <= '0;
      end
      s13_lo_q    <= s12_lo_q;
      s13_hi_q    <= (s12_lo_q > s12_cap_q) ? s12_lo_q : s12_cap_q;
      s13_value_q <= s12_value_q;
      s13_extra_q <= s12_extra_q;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Stages 13 to 15: limit to the maximum; mean of Rc and Rt; limit to the minimum
  // ---------------------------------------------------------------------------------------------
  logic [31:0] s14_lo_q, s14_hi_q, s14_value_q;
  logic [31:0] s15_lo_q, s15_hi_q, s15_value_q, s15_rt_q;
  logic [31:0] s16_rc_q, s16_rt_q;
  logic        s16_at_maximum_q;
  logic [32:0] middle;  // mean of Rc and Rt, rounded up, so that the maximum is reached
  assign middle = 33'(s14_rc_q) + 33'(s14_value_q) + 33'd1;

  always_ff @(posedge clk_i) begin
    if (step) begin
      s14_lo_q    <= s13_lo_q;
      s14_hi_q    <= s13_hi_q;
      s14_value_q <= (s13_value_q > 34'(s13_hi_q)) ? s13_hi_q : s13_value_q[31:0];
      s14_extra_q <= s13_extra_q;

      s15_lo_q    <= s14_lo_q;
      s15_hi_q    <= s14_hi_q;
      s15_value_q <= s14_value_q;
      s15_rt_q    <= (!regs_i.law && s14_rc_q < s14_lo_q) ? s14_lo_q : s14_rc_q;
      if (s14_op_q == rate_lut_pkg::OpIncrease) begin
        if (regs_i.law) s15_value_q <= middle[32:1];
        s15_rt_q <= s14_value_q;
      end
      s15_extra_q <= s14_extra_q;

      s16_rc_q <= (s15_value_q < s15_lo_q) ? s15_lo_q
                                           : (s15_value_q > s15_hi_q) ? s15_hi_q : s15_value_q;
      s16_rt_q <= s15_rt_q;
      s16_at_maximum_q <= s15_op_q == rate_lut_pkg::OpIncrease &&
                          (s15_value_q >= s15_hi_q || s15_lo_q == s15_hi_q);
      s16_extra_q <= s15_extra_q;
    end
  end

  assign rsp_increase_o   = s16_op_q == rate_lut_pkg::OpIncrease;
  assign rsp_rc_o         = s16_rc_q;
  assign rsp_rt_o         = s16_rt_q;
  assign rsp_alpha_o      = s16_extra_q[16:0];
  assign rsp_at_maximum_o = s16_at_maximum_q;
  assign tbl_rdata_o      = s16_extra_q;
endmodule
