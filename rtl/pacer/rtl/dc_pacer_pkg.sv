// Widths of the pacer's times, and the kinds of its operations.
// SPDX-License-Identifier: Apache-2.0
package dc_pacer_pkg;
  localparam int unsigned TimeW  = 56;           // bits of a time in cycles: nine years at 250 MHz
  localparam int unsigned FracW  = 38;           // fraction bits of the time of a byte
  localparam int unsigned ExactW = TimeW + FracW;
  localparam int unsigned NearW  = 38;           // bits of the times of waiting packets, which wrap around
  localparam int unsigned ScaleW = 22;           // bits of the cycles per byte at 1/256 Mb/s
  localparam int unsigned GapW   = ScaleW + FracW;  // bits of the time of a byte at a flow's rate
  localparam int unsigned BytesW = 14;

  localparam logic [1:0] OpSent = 2'd0;  // operation: the pacer decided the flow's first packet
  localparam logic [1:0] OpWake = 2'd1;  // operation wake: the flow may have a packet that the pacer has not seen
  localparam logic [1:0] OpRate = 2'd2;  // operation: the flow gets another rate or priority
endpackage
