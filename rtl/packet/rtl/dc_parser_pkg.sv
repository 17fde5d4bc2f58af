// Reasons for which dc_parser refuses a frame. If several apply, the first in the order of rtl/packet/doc/contract.md.
// SPDX-License-Identifier: Apache-2.0
package dc_parser_pkg;
  localparam logic [3:0] None        = 4'd0;
  localparam logic [3:0] Truncated   = 4'd1;  // the frame ends within a header, or before the end of the IPv4 packet
  localparam logic [3:0] NotRoce     = 4'd2;  // the frame has another EtherType, protocol or port, or is a fragment
  localparam logic [3:0] BadHeader   = 4'd3;  // wrong IPv4 version or length, UDP length, BTH version or DETH
  localparam logic [3:0] BadChecksum = 4'd4;  // the frame's IPv4 checksum is wrong
  localparam logic [3:0] BadOpcode   = 4'd5;
  localparam logic [3:0] BadPayload  = 4'd6;  // the opcode does not allow the frame's padding or payload
  localparam logic [3:0] BadIcrc     = 4'd7;  // the ICRC of a CNP is wrong
  localparam logic [3:0] BadFrame    = 4'd8;  // the MAC reported an error, or tkeep has holes
  localparam logic [3:0] Unbound     = 4'd9;  // no flow is bound to the destination queue pair
endpackage
