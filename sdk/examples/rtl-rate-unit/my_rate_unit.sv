// An example of a rate unit that answers each request in one cycle with 64-bit numbers; the shipped unit
// has a pipeline. "Rate unit: the arithmetic, bit for bit" of the manual defines the answers; structure and
// ports of a unit are free.
module my_rate_unit (
  input  logic        clk_i,

  input  logic [15:0] g_i,
  input  logic [15:0] mi_i,
  input  logic [31:0] r_ai_i,
  input  logic [31:0] r_hai_i,
  input  logic [31:0] r_min_i,
  input  logic [31:0] r_max_i,
  input  logic [31:0] alpha_recip_i,
  input  logic [16:0] first_cut_i,
  input  logic [3:0]  mark_shift_i,
  input  logic        cut_by_marks_i,
  input  logic        averaging_i,

  input  logic        write_i,         // writes word_i to table_i[index_i] at the clock edge
  input  logic [2:0]  table_i,
  input  logic [8:0]  index_i,
  input  logic [31:0] word_i,
  output logic [31:0] word_o,          // the word at table_i[index_i]

  input  logic        increase_i,      // 1: an increase, 0: a cut
  input  logic        first_i,
  input  logic [31:0] rc_i,
  input  logic [31:0] rt_i,
  input  logic [16:0] alpha_i,
  input  logic [19:0] count_i,         // cut: ticks since the last cut; increase: packets
  input  logic [5:0]  dscp_i,
  input  logic [7:0]  marks_i,
  input  logic [1:0]  stage_i,
  output logic [31:0] rc_o,            // valid after the clock edge
  output logic [31:0] rt_o,
  output logic [16:0] alpha_o,
  output logic        at_maximum_o
);
  localparam logic [63:0] One = 64'h1_0000;  // 1.0 in 1.16

  function automatic logic [63:0] mul16(input logic [63:0] a, input logic [63:0] b);
    mul16 = (a * b + 64'h8000) >> 16;
  endfunction
  function automatic logic [63:0] least(input logic [63:0] a, input logic [63:0] b);
    least = a < b ? a : b;
  endfunction
  function automatic logic [63:0] greatest(input logic [63:0] a, input logic [63:0] b);
    greatest = a > b ? a : b;
  endfunction

  // Tables
  logic [31:0] factor[64], floor_rate[64], ceiling_rate[64];
  logic [16:0] decay_hi[64], decay_lo[64], decrease[512];
  logic [16:0] fraction;
  assign fraction = word_i > 32'h1_0000 ? 17'h1_0000 : word_i[16:0];

  always_ff @(posedge clk_i) begin
    if (write_i) begin
      case (table_i)
        3'd0:    factor[index_i[5:0]] <= word_i;
        3'd1:    floor_rate[index_i[5:0]] <= word_i;
        3'd2:    ceiling_rate[index_i[5:0]] <= word_i;
        3'd3:    decay_hi[index_i[5:0]] <= fraction;
        3'd4:    decay_lo[index_i[5:0]] <= fraction;
        default: decrease[index_i] <= fraction;
      endcase
    end
  end
  always_comb begin
    case (table_i)
      3'd0:    word_o = factor[index_i[5:0]];
      3'd1:    word_o = floor_rate[index_i[5:0]];
      3'd2:    word_o = ceiling_rate[index_i[5:0]];
      3'd3:    word_o = 32'(decay_hi[index_i[5:0]]);
      3'd4:    word_o = 32'(decay_lo[index_i[5:0]]);
      default: word_o = 32'(decrease[index_i]);
    endcase
  end

  // Rate limits of the class, and the part of a step that is used at a low target: sixteenths, shifted.
  logic [63:0] lo, hi, sixteenths;
  logic [2:0]  slow;
  always_comb begin
    lo = greatest(64'(r_min_i), 64'(floor_rate[dscp_i]));
    hi = greatest(lo, least(64'(r_max_i), 64'(ceiling_rate[dscp_i])));
    slow = 3'd6;
    for (int octave = 5; octave >= 0; octave--) begin
      if (rt_i >= 32'd1 << (16 - octave)) slow = 3'(octave);
    end
    sixteenths = (rt_i[31:17] != '0) ? 64'd16 : greatest(64'd8, 64'(rt_i) >> (4'd13 - 4'(slow)));
  end

  // A cut
  logic [63:0] n, decayed, source, argument, multiplier, left, lasting, cut_rt, cut_alpha;
  logic [63:0] here, there, part, taken, times;
  logic        first_cut;
  always_comb begin
    n         = least(64'd4095, first_i ? 64'd0 : (64'(count_i) * 64'(alpha_recip_i)) >> 32);
    decayed   = mul16(mul16(64'(alpha_i), 64'(decay_hi[n[11:6]])), 64'(decay_lo[n[5:0]]));
    source    = cut_by_marks_i ? 64'(marks_i) << mark_shift_i : decayed;
    argument  = least(One, (source * 64'(factor[dscp_i][31:16])) >> 12);
    here      = 64'(decrease[argument[16:8]]);
    there     = 64'(decrease[9'(argument[16:8] + 9'd1)]);
    part      = 64'(argument[7:0]);
    first_cut = first_i && first_cut_i != '0;
    if (first_cut)       multiplier = 64'(first_cut_i);
    else if (part == '0) multiplier = here;
    else                 multiplier = (here * (64'd256 - part) + there * part + 64'd128) >> 8;
    left      = (64'(rc_i) * multiplier) >> 16;
    taken     = 64'(rc_i) - left;
    // A cut with multiplier 0 takes the whole rate, and may count for twice the rate below 256 Mb/s of target rate, for 4
    // times the rate below 128 Mb/s.
    times     = greatest(One >> 2, least(argument, (rt_i[31:15] == '0) ? One : (rt_i[31:16] == '0) ? One >> 1 : One >> 2));
    if (multiplier == '0) taken = least(64'hFFFF_FFFF, (64'(rc_i) * times) >> 14);
    lasting   = first_cut ? 64'(rt_i) >> 1 : (taken * sixteenths) >> (4'd6 + 4'(slow));
    cut_rt    = greatest(lo, 64'(rt_i) - least(64'(rt_i), lasting));
    if (averaging_i) cut_rt = 64'(rc_i);
    cut_alpha = least(One, decayed + mul16(One - decayed, 64'(g_i)));
  end

  // An increase
  logic [63:0] step, additive, multiplicative, raised_rt, next;
  always_comb begin
    case (stage_i)
      2'd1:    step = 64'(r_ai_i);
      2'd2:    step = 64'(r_hai_i);
      default: step = '0;
    endcase
    if (averaging_i) additive = (step * 64'(factor[dscp_i][15:0]) + 64'd128) >> 8;
    else             additive = (least(64'hFFFF_FFFF, step * 64'(count_i)) * sixteenths) >> (4'd4 + 4'(slow));
    multiplicative = stage_i == '0 ? '0 : mul16(64'(rt_i), 64'(mi_i));
    raised_rt      = least(hi, 64'(rt_i) + additive + multiplicative);
    next           = averaging_i ? (64'(rc_i) + raised_rt + 64'd1) >> 1 : raised_rt;
  end

  logic [63:0] rate;
  assign rate = greatest(lo, least(hi, increase_i ? next : left));

  always_ff @(posedge clk_i) begin
    rc_o         <= rate[31:0];
    rt_o         <= increase_i ? raised_rt[31:0] : cut_rt[31:0];
    alpha_o      <= cut_alpha[16:0];
    at_maximum_o <= rate == hi;
  end
endmodule
