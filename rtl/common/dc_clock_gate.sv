// Clock gate: clk_o follows clk_i in the cycles in which enable_i is 1. Replace this module by the integrated
// clock-gating cell of the library.
// SPDX-License-Identifier: Apache-2.0
//
// enable_i must have its value before the rising edge of clk_i. The latch passes it on while clk_i is low and keeps it
// while clk_i is high: so a change of enable_i in that half of the cycle cannot begin or cut a pulse of clk_o.
module dc_clock_gate (
  input  logic clk_i,
  input  logic enable_i,
  input  logic scan_mode_i,  // 1: the clock runs, whatever enable_i is
  output logic clk_o
);
  logic enable_q;
  always_latch if (!clk_i) enable_q = enable_i || scan_mode_i;
  assign clk_o = clk_i && enable_q;
endmodule
