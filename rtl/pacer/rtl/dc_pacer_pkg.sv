// Widths of the pacer's times and the steps that it takes for a flow.
// SPDX-License-Identifier: Apache-2.0
package dc_pacer_pkg;
  localparam int unsigned TimeW  = 56;           // cycles: nine years at 250 MHz
  localparam int unsigned FracW  = 38;           // a byte at the line takes less than a cycle
  localparam int unsigned ExactW = TimeW + FracW;
  localparam int unsigned NearW  = 38;           // times of packets that wait, modulo 2^NearW cycles
  localparam int unsigned ScaleW = 22;           // cycles a byte at 1/256 Mb/s
  localparam int unsigned GapW   = ScaleW + FracW;  // time of a byte at a flow's rate
  localparam int unsigned BytesW = 14;

  localparam logic [1:0] OpSent = 2'd0;  // the flow's first packet was decided
  localparam logic [1:0] OpWake = 2'd1;  // the flow may have a packet that does not wait yet
  localparam logic [1:0] OpRate = 2'd2;  // the flow has another rate or priority
endpackage
