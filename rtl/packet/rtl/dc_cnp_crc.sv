// Invariant CRC of a congestion notification packet (InfiniBand annex A17.3.3), as combinational logic.
// SPDX-License-Identifier: Apache-2.0
//
// Fields that routers may change enter the CRC as ones: type of service, time to live, both checksums, and the byte of
// the BTH that holds FECN and BECN. Eight bytes of ones stand for the local route header.
module dc_cnp_crc (
  input  logic         use_i,     // crc_o is used in this cycle; saves simulation time
  input  logic [447:0] packet_i,  // IPv4, UDP, BTH, reserved: byte i in bits 8 i + 7 … 8 i
  output logic [31:0]  crc_o      // CRC in wire order: first byte in bits 7 … 0
);
  localparam int unsigned Bytes = 56;

  logic [8*(Bytes+8)-1:0] masked;
  always_comb begin
    masked = {packet_i, 64'hFFFF_FFFF_FFFF_FFFF};
    masked[8*(8+1) +: 8]   = 8'hFF;     // the ICRC masks the type of service
    masked[8*(8+8) +: 8]   = 8'hFF;     // the ICRC masks the time to live
    masked[8*(8+10) +: 16] = 16'hFFFF;  // the ICRC masks the IPv4 checksum
    masked[8*(8+26) +: 16] = 16'hFFFF;  // the ICRC masks the UDP checksum
    masked[8*(8+32) +: 8]  = 8'hFF;     // the ICRC masks FECN, BECN, reserved
  end

  // Reflected CRC-32 (IEEE 802.3), least significant bit first.
  function automatic logic [31:0] crc_of(input logic [8*(Bytes+8)-1:0] bits);
    logic [31:0] state;
    state = '1;
    for (int unsigned i = 0; i < 8 * (Bytes + 8); i++) begin
      state = {1'b0, state[31:1]} ^ ((state[0] ^ bits[i]) ? 32'hEDB8_8320 : 32'h0);
    end
    crc_of = ~state;
  endfunction

  always_comb begin
    crc_o = '0;
    if (use_i) crc_o = crc_of(masked);
  end
endmodule
