// Proof obligations for the rate unit's arithmetic, stage by stage, against the definition in
// models/core/controller/rate_unit.cpp. rate_stages.py has cut the unit at its flip-flops and memories (rate_cut):
// name.q is the value that a flip-flop holds, name.d the value that it takes at a step, and any values are possible.
//
// Property selects a stage; properties from number 20 on are known to be false and must have a counterexample. Unit
// and definition share products of two numbers as one term; property 2 shows that rl_mul's two half products add up to
// the product.
module rate_stages #(
  parameter int unsigned Property = 0
) (
  input  dcc_rate_pkg::regs_t regs_i,
  output logic bad_o
);
  logic        step;
  logic [1:0]  op2, op6, op7, op9, op10, op11, op14, op15;
  logic [35:0] step_low, step_high;
  logic [32:0] rate_low, rate_high, rate_low_d, rate_high_d;
  logic [35:0] step_low_d, step_high_d;
  logic [31:0] step_a, s1_base, s1_rc;
  logic [19:0] step_b;
  logic [11:0] n_d;
  logic [31:0] extra3_d, extra2;
  logic [16:0] alpha4, alpha5, alpha6, alpha7, decay_lo5, decay_hi, alpha5_d, alpha6_d;
  logic [7:0]  marks6, part8;
  logic [15:0] f_dec6;
  logic [16:0] argument7_d, gain7, gain7_d;
  logic [31:0] extra7, extra8_d;
  logic [16:0] decrease, decrease_next, multiplier9, multiplier9_d;
  logic [31:0] base9, base11, extra11, product11, product11_d, rc11, rc12, taken12, taken12_d, rc13;
  logic [31:0] extra10, extra11_d, lasting13, lasting13_d, rc14_d;
  logic [8:0]  entry8;
  logic [6:0]  steps8;
  logic [16:0] beyond9, beyond9_d;
  logic        whole10, whole11, whole10_d;
  logic        first12, first12_d;
  logic [2:0]  select9;
  logic [6:0]  part2_d, part10, part11, part12;  // parts of a step: full; sixteenths beyond eight; right shift
  logic        first9, first11;
  logic [31:0] floor_word, ceiling_word, lo12, lo12_d, cap12, cap12_d, hi13, hi13_d, lo14, hi14, rc14, value14;
  logic [33:0] value12_d, value13;
  logic [31:0] value14_d, value15, value15_d, rt15_d, lo15, hi15, rc16_d;
  logic        maximum16_d;
  logic [1:0]  op1;

  rate_cut u_cut (
    .regs_i(regs_i), .step(step),
    .\s1_op_q.q (op1), .\s1_base_q.q (s1_base), .\s1_rc_q.q (s1_rc), .\s2_part_q.d (part2_d),
    .\s2_op_q.q (op2), .\s2_extra_q.q (extra2), .\s3_n_q.d (n_d), .\s3_extra_q.d (extra3_d),
    .step_or_recip(step_a), .delta_or_factor(step_b),
    .\u_mul_step.low_q.q (step_low), .\u_mul_step.high_q.q (step_high),
    .\u_mul_step.low_q.d (step_low_d), .\u_mul_step.high_q.d (step_high_d),
    .\s4_alpha_q.q (alpha4), .decay_hi(decay_hi), .\s5_alpha_q.d (alpha5_d), .\s5_alpha_q.q (alpha5),
    .\s5_decay_lo_q.q (decay_lo5), .\s6_alpha_q.d (alpha6_d), .\s6_alpha_q.q (alpha6),
    .\s6_op_q.q (op6), .\s6_marks_q.q (marks6), .\s6_f_dec_q.q (f_dec6), .\s7_argument_q.d (argument7_d),
    .\s7_gain_q.d (gain7_d), .\s7_gain_q.q (gain7), .\s7_alpha_q.q (alpha7), .\s7_op_q.q (op7),
    .\s7_extra_q.q (extra7), .\s8_extra_q.d (extra8_d), .\s8_part_q.q (part8),
    .\s8_entry_q.q (entry8), .\s8_steps_q.q (steps8), .\s9_beyond_q.d (beyond9_d), .\s9_beyond_q.q (beyond9),
    .\s10_whole_q.d (whole10_d), .\s10_whole_q.q (whole10), .\s11_whole_q.q (whole11),
    .decrease(decrease), .decrease_next(decrease_next), .\s9_multiplier_q.d (multiplier9_d),
    .\s9_multiplier_q.q (multiplier9), .\s9_base_q.q (base9), .\s9_first_q.q (first9), .\s9_op_q.q (op9),
    .\s9_select_q.q (select9), .\u_mul_rate.low_q.d (rate_low_d), .\u_mul_rate.high_q.d (rate_high_d),
    .\u_mul_rate.low_q.q (rate_low), .\u_mul_rate.high_q.q (rate_high), .\s10_op_q.q (op10),
    .\s11_product_q.d (product11_d), .\s11_product_q.q (product11), .\s11_op_q.q (op11),
    .\s11_base_q.q (base11), .\s11_extra_q.q (extra11), .\s11_part_q.q (part11), .\s11_rc_q.q (rc11),
    .\s11_first_q.q (first11), .floor_word(floor_word), .ceiling_word(ceiling_word),
    .\s12_lo_q.d (lo12_d), .\s12_lo_q.q (lo12), .\s12_cap_q.d (cap12_d), .\s12_cap_q.q (cap12),
    .\s12_value_q.d (value12_d), .\s12_taken_q.d (taken12_d), .\s12_taken_q.q (taken12),
    .\s12_first_q.d (first12_d), .\s12_first_q.q (first12), .\s12_part_q.q (part12), .\s10_part_q.q (part10),
    .\s10_extra_q.q (extra10), .\s11_extra_q.d (extra11_d), .\s13_lasting_q.d (lasting13_d),
    .\s13_lasting_q.q (lasting13), .\s12_rc_q.q (rc12), .\s13_rc_q.q (rc13), .\s14_rc_q.d (rc14_d), .\s13_hi_q.d (hi13_d), .\s13_hi_q.q (hi13),
    .\s13_value_q.q (value13), .\s14_value_q.d (value14_d), .\s14_value_q.q (value14), .\s14_rc_q.q (rc14),
    .\s14_lo_q.q (lo14), .\s14_hi_q.q (hi14), .\s14_op_q.q (op14), .\s15_value_q.d (value15_d),
    .\s15_rt_q.d (rt15_d), .\s15_value_q.q (value15), .\s15_lo_q.q (lo15), .\s15_hi_q.q (hi15),
    .\s15_op_q.q (op15), .\rsp_rc_o.d (rc16_d), .\rsp_at_maximum_o.d (maximum16_d)
  );

  localparam logic [63:0] One = 64'd65536, Most = 64'hFFFF_FFFF;
  function automatic logic [63:0] least(input logic [63:0] a, input logic [63:0] b);
    least = (a < b) ? a : b;
  endfunction
  function automatic logic [63:0] greatest(input logic [63:0] a, input logic [63:0] b);
    greatest = (a > b) ? a : b;
  endfunction
  logic increase1, increase2, increase9, increase10, increase11, increase14, increase15;
  assign increase1  = op1 == rate_lut_pkg::OpIncrease;
  assign increase2  = op2 == rate_lut_pkg::OpIncrease;
  assign increase9  = op9 == rate_lut_pkg::OpIncrease;
  assign increase10 = op10 == rate_lut_pkg::OpIncrease;
  assign increase11 = op11 == rate_lut_pkg::OpIncrease;
  assign increase14 = op14 == rate_lut_pkg::OpIncrease;
  assign increase15 = op15 == rate_lut_pkg::OpIncrease;
  logic cut2, cut6, cut7, cut11, cut14;
  assign cut2  = op2 == rate_lut_pkg::OpDecrease;
  assign cut6  = op6 == rate_lut_pkg::OpDecrease;
  assign cut7  = op7 == rate_lut_pkg::OpDecrease;
  assign cut11 = op11 == rate_lut_pkg::OpDecrease;
  assign cut14 = op14 == rate_lut_pkg::OpDecrease;

  // As in StepPart::at(): while (places < 6 && target >> (16 - places) == 0) ++places
  logic [31:0] target1;
  logic [63:0] sixteenths;
  logic [2:0]  places;
  assign target1 = increase1 ? s1_base : s1_rc;
  always_comb begin
    places = 3'd0;
    for (int unsigned i = 0; i < 6; i++) if (places == 3'(i) && (target1 >> (16 - i)) == '0) places = 3'(i + 1);
    sixteenths = greatest(64'd8, 64'(target1) >> (5'd13 - 5'(places)));
    if (regs_i.law || target1 >> 17 != '0) begin
      places     = 3'd0;
      sixteenths = 64'd16;
    end
  end
  function automatic logic [63:0] sixteenths_of(input logic [6:0] part);
    sixteenths_of = part[6] ? 64'd16 : 64'd8 + 64'(part[5:3]);
  endfunction
  // Returns a value times sixteenths_of(part), digit by digit.
  function automatic logic [63:0] part_of(input logic [31:0] value, input logic [6:0] part);
    part_of = part[6] ? 64'(value) * 64'd16
                      : 64'(value) * 64'd8 + (part[5] ? 64'(value) * 64'd4 : '0) +
                        (part[4] ? 64'(value) * 64'd2 : '0) + (part[3] ? 64'(value) : '0);
  endfunction

  logic signed [17:0] slope;
  logic signed [26:0] rise;
  logic [63:0] product, rates, line, multiplier, value, clamped, argument8;
  logic        whole9;
  logic [16:0] floored;
  logic [17:0] source;  // argument of the decrease table, at most 255 · 2^10
  assign product = (64'(step_high) << 16) + 64'(step_low);
  assign rates   = (64'(rate_high) << 16) + 64'(rate_low);
  assign source  = regs_i.cut_by_marks ? (18'(marks6) << regs_i.mark_shift) : 18'(alpha6);
  // The interpolation d · (256 - f) + e · f equals 256 · d + f · (e - d).
  assign slope   = $signed({1'b0, decrease_next}) - $signed({1'b0, decrease});
  assign rise    = 27'(slope) * $signed(27'({1'b0, part8}));
  assign line    = (part8 == '0) ? 64'(decrease) : 64'((40'sd256 * $signed({1'b0, decrease}) + rise + 40'sd128) >>> 8);
  assign value   = 64'(base11) + (64'(extra11) >> part11[2:0]) + 64'(product11);
  // Multiplier limited to the cut floor, written as the unit writes it: the solver sees two products as equal only if
  // their operands are identical terms.
  assign floored = (multiplier9 < regs_i.cut_floor) ? regs_i.cut_floor : multiplier9;
  assign clamped = greatest(64'(lo15), least(64'(value15), 64'(hi15)));
  assign argument8 = 64'({entry8, part8});
  assign whole9    = op9 == rate_lut_pkg::OpDecrease && !regs_i.law && !(first9 && regs_i.first_cut != '0) &&
                     multiplier9 == '0 && regs_i.cut_floor == '0;
  always_comb begin
    multiplier = whole9 ? 64'(beyond9) : 64'(floored);
    if (first9 && regs_i.first_cut != '0) multiplier = 64'(regs_i.first_cut);
    if (increase9) multiplier = (select9[1:0] == rate_lut_pkg::StageRecovery) ? '0 : 64'(regs_i.mi);
  end

  // Assumptions: tables hold fractions, and a limit below the least rate is the least rate. An earlier stage, or the
  // writer of the memories, ensures these facts.
  logic alphas, limits;
  assign alphas = alpha4 <= One && alpha5 <= One && alpha6 <= One && alpha7 <= One && decay_hi <= One &&
                  decay_lo5 <= One && argument8 <= One && decrease <= One && decrease_next <= One &&
                  regs_i.mark_shift <= 4'd10 && gain7 <= One - alpha7;
  assign limits = lo14 <= hi14 && lo15 <= hi15;

  logic differs;
  assign bad_o = step && alphas && limits && differs;
  always_comb begin
    differs = 1'b0;
    case (Property)
      0: differs = sixteenths_of(part2_d) != sixteenths || part2_d[2:0] != places;
      // Half products and their sum: (h · b) · 2^16 + l · b, one bit of b at a time.
      1: differs = step_low_d != 36'(step_a[15:0]) * 36'(step_b) || step_high_d != 36'(step_a[31:16]) * 36'(step_b);
      2: differs = ((64'(step_high) + 64'(base9[31:16])) << 16) + 64'(step_low) + 64'(base9[15:0]) !=
                   product + 64'(base9);
      3: differs = cut2 && product < 64'd1 << 52 && 64'(n_d) != least(64'd4095, product >> 32);
      4: differs = increase2 && product < 64'd1 << 52 &&
                   64'(extra3_d) != least(Most, regs_i.law ? (product + 64'd128) >> 8 : product);
      5: differs = 64'(alpha5_d) != (34'(alpha4) * 34'(decay_hi) + 34'h8000) >> 16;
      6: differs = 64'(alpha6_d) != (34'(alpha5) * 34'(decay_lo5) + 34'h8000) >> 16;
      7: differs = cut6 && 64'(argument7_d) != least(One, (64'(34'(source) * 34'(f_dec6))) >> 12);
      8: differs = 64'(gain7_d) != (33'(17'(One - 64'(alpha6))) * 33'(regs_i.g) + 33'h8000) >> 16;
      9: differs = cut7 && 64'(extra8_d) != least(One, 64'(alpha7) + 64'(gain7));
      // Beyond the whole, which is a quarter of 1.0, by two octaves of the target.
      10: differs = 64'(multiplier9_d) != line || 64'(beyond9_d) !=
                    greatest(One >> 2, least(argument8, (One >> 2) << least(64'd2, 64'(steps8[2:0]))));
      11: differs = rate_low_d != 33'(base9[15:0]) * 33'(17'(multiplier)) ||
                    rate_high_d != 33'(base9[31:16]) * 33'(17'(multiplier)) || whole10_d != whole9;
      12: differs = rates < 64'd1 << 48 &&
                    64'(product11_d) != (whole10 ? least(Most, rates >> 14)
                                                 : 64'(32'(increase10 ? (rates + 64'h8000) >> 16 : rates >> 16)));
      13: differs = 64'(lo12_d) != greatest(64'(regs_i.r_min), 64'(floor_word)) ||
                    64'(cap12_d) != least(64'(regs_i.r_max), 64'(ceiling_word)) ||
                    64'(hi13_d) != greatest(64'(lo12), 64'(cap12));
      // A shift of a truncated value truncates as one shift of the value by the sum.
      14: differs = 64'(extra11_d) != (increase10 ? part_of(extra10, part10) >> 4 : 64'(extra10)) ||
                    (increase11 && 64'(value12_d) != value) ||
                    (cut11 && 64'(value12_d) != (whole11 ? '0 : 64'(product11)));
      15: differs = ((whole11 || product11 <= base11) && 64'(taken12_d) !=
                     ((cut11 && !regs_i.law) ? (whole11 ? 64'(product11) : 64'(base11) - 64'(product11)) : '0)) ||
                    first12_d != (cut11 && !regs_i.law && first11) ||
                    64'(lasting13_d) != (first12 ? 64'(rc12) >> 1
                                                 : part_of(taken12, part12) >> (64'd6 + 64'(part12[2:0])));
      16: differs = 64'(rc14_d) != 64'(rc13) - least(64'(rc13), 64'(lasting13));
      17: differs = 64'(value14_d) != least(64'(value13), 64'(hi13));
      18: differs = (increase14 && (64'(rt15_d) != 64'(value14) ||
                     64'(value15_d) != (regs_i.law ? (64'(rc14) + 64'(value14) + 64'd1) >> 1 : 64'(value14)))) ||
                    (cut14 && (64'(value15_d) != 64'(value14) ||
                     64'(rt15_d) != (regs_i.law ? 64'(rc14) : greatest(64'(lo14), 64'(rc14)))));
      19: differs = 64'(rc16_d) != clamped || maximum16_d != (increase15 && clamped == 64'(hi15));
      // false_: the result is rounded down; a sum never exceeds 1.0; the interpolation lacks its rounding half; the
      // target of a cut is not limited
      20: differs = increase14 && regs_i.law && 64'(value15_d) != (64'(rc14) + 64'(value14)) >> 1;
      21: differs = 64'(argument7_d) != (64'(34'(source) * 34'(f_dec6))) >> 12;
      22: differs = 64'(multiplier9_d) != 64'((40'sd256 * $signed({1'b0, decrease}) + rise) >>> 8);
      23: differs = cut14 && 64'(rt15_d) != 64'(rc14);
      default: differs = sixteenths_of(part2_d) != (sixteenths & 64'h18);
    endcase
  end
endmodule
