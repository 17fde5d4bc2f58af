// Parser of received frames: a CNP becomes a notification for the controller, a data packet an event for the
// notification point. The parser refuses a damaged frame with a reason.
// SPDX-License-Identifier: Apache-2.0
//
// Three pipeline stages: keep a frame's first two beats and its length; check its headers in the cycle after its last
// beat; read the flow's context. One frame per cycle if each frame has one beat. See rtl/packet/doc/contract.md.
module dc_parser #(
  parameter int unsigned Flows  = 1024,  // number of flows, a power of two, 2 ... 2**23
  parameter int unsigned Secded = 0,     // 1: the memory corrects a wrong bit of 64 (rtl/secded/ram_guarded.sv)
  localparam int unsigned FlowW   = $clog2(Flows),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  output logic             init_done_o,    // low while the contexts are swept (Flows cycles); frames wait

  // Configuration. A change acts on frames whose last beat comes later.
  input  logic [23:0]      qpn_base_i,     // queue pair number of flow 0
  input  logic             counting_i,     // 1: CNPs carry marks and packets; 0: each CNP stands for one mark
  // Context of a flow; write only while init_done_o is 1, since the sweep has priority.
  input  logic             context_we_i,
  input  logic [FlowW-1:0] context_flow_i,
  input  logic             context_bound_i,
  input  logic [5:0]       context_dscp_i,
  input  logic [23:0]      context_peer_i, // queue pair at the other end of the flow

  // AXI4-Stream of received frames, from the destination MAC address on; byte i of a beat in bits 8 i + 7 … 8 i.
  input  logic             s_tvalid_i,
  output logic             s_tready_o,
  input  logic [511:0]     s_tdata_i,
  input  logic [63:0]      s_tkeep_i,
  input  logic             s_tlast_i,
  input  logic             s_tuser_i,      // valid with s_tlast_i: the MAC found an error in the frame

  // Output: a CNP for the controller.
  output logic             cnp_valid_o,
  input  logic             cnp_ready_i,
  output logic [7:0]       cnp_marks_o,    // number of marks; 0: a clear notification
  output logic [7:0]       cnp_packets_o,  // number of packets; 0: the CNP states no number
  // Output: a data packet for the notification point.
  output logic             data_valid_o,
  input  logic             data_ready_i,
  output logic             data_marked_o,  // the packet has ECN CE
  output logic [47:0]      data_mac_o,     // source MAC address in wire order, as s_tdata_i
  output logic [31:0]      data_ip_o,      // source IPv4 address in wire order
  // Outputs that CNPs and data packets use.
  output logic [FlowW-1:0] flow_o,
  output logic [5:0]       dscp_o,         // DSCP that the flow's context has
  output logic [23:0]      peer_o,
  // Pulses of one cycle for frames that are neither CNP nor data.
  output logic             other_o,        // the frame is a RoCE acknowledgement
  output logic             refused_o,
  output logic [3:0]       reason_o,       // valid with refused_o: reason of the refusal (dc_parser_pkg)

  output logic [ReportW-1:0] report_o  // report on the context that the previous cycle's outcome used (ram_guarded.sv)
);
  if (Flows < 2 || Flows > 1 << 23 || (Flows & (Flows - 1)) != 0) begin : g_flows
    $fatal(1, "dc_parser: Flows must be a power of two from 2 to 2**23");
  end
  if (Secded > 1) begin : g_secded
    $fatal(1, "dc_parser: Secded must be 0 or 1");
  end

  // ---------------------------------------------------------------------------------------------
  // Sweep of the contexts after reset
  // ---------------------------------------------------------------------------------------------
  logic [FlowW:0] sweep_q;
  assign init_done_o = sweep_q[FlowW];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sweep_q <= '0;
    else if (!init_done_o) sweep_q <= sweep_q + 1'b1;
  end

  // ---------------------------------------------------------------------------------------------
  // Stage 1: collect two beats and the length; check that the frame is whole
  // ---------------------------------------------------------------------------------------------
  logic         beat, checked, check_moves, out_moves;
  logic [511:0] first_q;
  logic [159:0] second_q;   // bytes of the second beat that headers may reach
  logic [1:0]   index_q;    // index of the next beat of the frame, saturates
  logic [16:0]  length_q, length_d;
  logic         broken_q, broken_d, done_q;
  logic [6:0]   kept;

  assign beat = s_tvalid_i && s_tready_o;

  // Valid bytes of a beat: all of them, or in the last beat a run of ones from bit 0 on.
  logic [64:0] keep_next;
  logic        keep_good;
  assign keep_next = {1'b0, s_tkeep_i} + 65'd1;
  assign keep_good = s_tkeep_i[0] && (keep_next & {1'b0, s_tkeep_i}) == '0 && (s_tlast_i || (&s_tkeep_i));
  always_comb begin
    kept = '0;
    for (int unsigned i = 0; i < 64; i++) kept += 7'(s_tkeep_i[i]);
  end
  assign length_d = (index_q == '0 ? '0 : length_q[16] ? {1'b1, 16'h0} : length_q) + 17'(kept);
  assign broken_d = (index_q != '0 && broken_q) || !keep_good || (s_tlast_i && s_tuser_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      index_q <= '0;
      done_q  <= 1'b0;
    end else begin
      if (beat) index_q <= s_tlast_i ? '0 : index_q[1] ? index_q : index_q + 1'b1;
      if (beat || check_moves) done_q <= beat && s_tlast_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (beat) begin
      if (index_q == 2'd0) first_q <= s_tdata_i;
      if (index_q == 2'd1) second_q <= s_tdata_i[159:0];
      length_q <= length_d;
      broken_q <= broken_d;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Stage 2: check the headers of a frame that has ended
  // ---------------------------------------------------------------------------------------------
  function automatic logic [15:0] big16(input logic [15:0] wire_order);
    big16 = {wire_order[7:0], wire_order[15:8]};
  endfunction
  function automatic logic [23:0] big24(input logic [23:0] wire_order);
    big24 = {wire_order[7:0], wire_order[15:8], wire_order[23:16]};
  endfunction

  logic         vlan;
  logic [671:0] window;
  logic [479:0] ip;          // IPv4, UDP, BTH, 16 more bytes, ICRC of a CNP
  logic [16:0]  rest;        // bytes of the frame from the IPv4 header on
  logic [15:0]  total, udp_length, kind;
  logic [7:0]   opcode;
  logic [1:0]   pad;

  assign vlan     = big16(first_q[8*12 +: 16]) == 16'h8100;
  assign kind       = vlan ? big16(first_q[8*16 +: 16]) : big16(first_q[8*12 +: 16]);
  assign window     = {second_q, first_q};
  assign ip         = vlan ? window[8*18 +: 480] : window[8*14 +: 480];
  assign rest       = length_q - (vlan ? 17'd18 : 17'd14);
  assign total      = big16(ip[8*2 +: 16]);
  assign udp_length = big16(ip[8*24 +: 16]);
  assign opcode     = ip[8*28 +: 8];
  assign pad        = ip[8*29+4 +: 2];

  logic [19:0] sum;
  logic [16:0] folded;
  logic        checksum_good;
  always_comb begin
    sum = '0;
    for (int unsigned i = 0; i < 10; i++) sum += 20'(big16(ip[16*i +: 16]));
    // A correct sum is a multiple of 65535, so folding the sum once gives 65535 without a carry.
    folded        = 17'(sum[15:0]) + 17'(sum[19:16]);
    checksum_good = folded == 17'h0FFFF;
  end

  // Headers that follow the BTH, according to the BTH's opcode (InfiniBand table 38).
  logic        cnp, known, has_deth, has_payload, operation_reth, operation_immediate, has_aeth, atomic;
  logic [4:0]  operation;
  logic [15:0] extended, fixed, padded;
  assign cnp                 = opcode == 8'h81;
  assign operation           = opcode[4:0];
  assign has_deth            = opcode == 8'h64 || opcode == 8'h65;
  assign known               = opcode <= 8'h14 || (opcode >= 8'h20 && opcode <= 8'h2B) || has_deth || cnp;
  assign operation_reth      = operation == 5'h06 || (operation >= 5'h0A && operation <= 5'h0C);
  assign operation_immediate = operation == 5'h03 || operation == 5'h05 || operation == 5'h09 || operation == 5'h0B;
  assign has_aeth            = (opcode >= 8'h0F && opcode <= 8'h12) || opcode == 8'h0D;
  assign atomic              = opcode == 8'h13 || opcode == 8'h14;
  assign has_payload         = !(cnp || atomic || opcode == 8'h11 || opcode == 8'h12 || opcode == 8'h0C);
  assign extended = cnp ? 16'd16
                        : (has_deth ? 16'd8 : 16'd0) + (operation_reth ? 16'd16 : 16'd0) +
                          (has_aeth ? 16'd4 : 16'd0) + (operation_immediate ? 16'd4 : 16'd0) +
                          (atomic ? 16'd28 : 16'd0) + (opcode == 8'h12 ? 16'd8 : 16'd0);
  assign fixed  = 16'd40 + extended;
  assign padded = total - fixed - 16'd4;

  logic [31:0] crc;
  logic [3:0]  reason;
  dc_cnp_crc u_crc (.use_i(done_q && cnp), .packet_i(ip[447:0]), .crc_o(crc));

  always_comb begin
    reason = dc_parser_pkg::None;
    if (broken_q) reason = dc_parser_pkg::BadFrame;
    else if (length_q < 17'd14 || (vlan && length_q < 17'd18)) reason = dc_parser_pkg::Truncated;
    else if (kind != 16'h0800) reason = dc_parser_pkg::NotRoce;
    else if (rest < 17'd20) reason = dc_parser_pkg::Truncated;
    else if (ip[7:0] != 8'h45) reason = dc_parser_pkg::BadHeader;
    else if (!checksum_good) reason = dc_parser_pkg::BadChecksum;
    else if (ip[8*9 +: 8] != 8'd17) reason = dc_parser_pkg::NotRoce;
    else if ((big16(ip[8*6 +: 16]) & 16'h3FFF) != '0) reason = dc_parser_pkg::NotRoce;
    else if (17'(total) > rest) reason = dc_parser_pkg::Truncated;
    else if (total < 16'd28) reason = dc_parser_pkg::BadHeader;
    else if (big16(ip[8*22 +: 16]) != 16'd4791) reason = dc_parser_pkg::NotRoce;
    else if (udp_length != total - 16'd20) reason = dc_parser_pkg::BadHeader;
    else if (total < 16'd44) reason = dc_parser_pkg::Truncated;
    else if (!known) reason = dc_parser_pkg::BadOpcode;
    else if (ip[8*29 +: 4] != '0) reason = dc_parser_pkg::BadHeader;
    else if (total < fixed + 16'd4) reason = dc_parser_pkg::Truncated;
    else if (has_deth && ip[8*44 +: 8] != '0) reason = dc_parser_pkg::BadHeader;
    else if (padded[1:0] != '0 || 16'(pad) > padded) reason = dc_parser_pkg::BadPayload;
    else if (!has_payload && padded != '0) reason = dc_parser_pkg::BadPayload;
    else if (cnp && crc != ip[8*56 +: 32]) reason = dc_parser_pkg::BadIcrc;
  end

  logic [23:0] pair, number;  // destination queue pair; its number counted from qpn_base
  logic        wanted, beyond;
  assign pair   = big24(ip[8*33 +: 24]);
  assign number = pair - qpn_base_i;
  assign beyond = pair < qpn_base_i || number >= 24'(Flows);
  assign wanted = reason == dc_parser_pkg::None && opcode != 8'h11;

  // ---------------------------------------------------------------------------------------------
  // Stage 3: output with the flow's context
  // ---------------------------------------------------------------------------------------------
  logic             out_q, out_wanted_q, out_beyond_q, out_cnp_q, bound, lost, unbound, open;
  logic [3:0]       out_reason_q;
  logic [7:0]       out_marks_q, out_packets_q;
  logic [FlowW-1:0] out_flow_q;
  logic [ReportW-1:0] report;

  assign checked     = done_q;
  assign open        = init_done_o;
  assign check_moves = checked && (!out_q || out_moves);
  assign s_tready_o  = open && (!done_q || check_moves);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_q <= 1'b0;
    else if (check_moves || out_moves) out_q <= check_moves;
  end
  always_ff @(posedge clk_i) begin
    if (check_moves) begin
      out_wanted_q  <= wanted;
      out_beyond_q  <= beyond;
      out_cnp_q     <= cnp;
      out_reason_q  <= reason;
      out_marks_q   <= counting_i ? (ip[8*41 +: 8] == '0 ? 8'd0 : ip[8*40 +: 8]) : 8'd1;
      out_packets_q <= counting_i ? ip[8*41 +: 8] : 8'd0;
      out_flow_q    <= number[FlowW-1:0];
      data_marked_o <= ip[9:8] == 2'b11;
      data_mac_o    <= first_q[8*6 +: 48];
      data_ip_o     <= ip[8*12 +: 32];
    end
  end

  ram_guarded #(.Depth(Flows), .Width(31), .Secded(Secded), .Number(0), .Early(1)) u_contexts (
    .clk_i  (clk_i),
    .ram_pins_i('0),
    .ren_i  (check_moves),
    .raddr_i(number[FlowW-1:0]),
    .rdata_o({bound, dscp_o, peer_o}),
    .wen_i  (!init_done_o || context_we_i),
    .waddr_i(init_done_o ? context_flow_i : sweep_q[FlowW-1:0]),
    .wdata_i(init_done_o ? {context_bound_i, context_dscp_i, context_peer_i} : 31'd0),
    .use_i  (out_q && out_wanted_q && !out_beyond_q),
    .report_o(report)
  );
  always_ff @(posedge clk_i) report_o <= out_moves ? report : '0;

  // A flow whose context is lost counts as unbound until the context is written again.
  assign lost          = report[0];
  assign unbound       = lost || out_beyond_q || !bound;
  assign cnp_valid_o   = out_q && out_wanted_q && !unbound && out_cnp_q;
  assign data_valid_o  = out_q && out_wanted_q && !unbound && !out_cnp_q;
  assign out_moves     = out_q && (cnp_valid_o ? cnp_ready_i : data_valid_o ? data_ready_i : 1'b1);
  assign other_o       = out_q && !out_wanted_q && out_reason_q == dc_parser_pkg::None;
  assign refused_o     = out_q && !cnp_valid_o && !data_valid_o && !other_o;
  assign reason_o      = out_reason_q != dc_parser_pkg::None ? out_reason_q : dc_parser_pkg::Unbound;
  assign flow_o        = out_flow_q;
  assign cnp_marks_o   = out_marks_q;
  assign cnp_packets_o = out_packets_q;
endmodule
