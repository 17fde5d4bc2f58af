// Notification point: decides which received packets cause a CNP, and sends each CNP as a complete frame.
// SPDX-License-Identifier: Apache-2.0
//
// Two stages: the first reads the flow's state; the second changes the state and writes a CNP to a FIFO, which sends
// it in two beats. One packet per cycle; while the FIFO is full, packets wait. See rtl/packet/doc/contract.md.
module dc_notifier #(
  parameter int unsigned Flows    = 1024,  // number of flows, a power of two, 2 ... 2**23
  parameter int unsigned Depth    = 16,    // CNPs that can wait for the output, a power of two, at least 2
  parameter int unsigned Interval = 1000,  // interval of a flow after reset, in the unit of now_i
  parameter int unsigned Secded   = 0,     // 1: memories correct a wrong bit of 64 (rtl/secded/ram_guarded.sv)
  localparam int unsigned FlowW   = $clog2(Flows),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  output logic             init_done_o,      // low while the states are swept (Flows cycles)

  // The NIC's time in any unit; it must not go back.
  input  logic [55:0]      now_i,

  // Configuration. Settings act on packets accepted later; frame fields act on CNPs that leave later.
  input  logic             carry_i,          // CNPs carry marks and packets, and clear notifications are sent
  input  logic [5:0]       dscp_i,           // DSCP that all CNPs carry
  input  logic [2:0]       priority_i,       // priority of CNPs, sent as m_tuser_o
  input  logic [47:0]      own_mac_i,        // own MAC address in wire order: the byte sent first in bits 7 … 0
  input  logic [31:0]      own_ip_i,         // the NIC's own IPv4 address in wire order
  input  logic             interval_we_i,    // write of a flow's interval; ignored while init_done_o is 0
  input  logic [FlowW-1:0] interval_flow_i,
  input  logic [31:0]      interval_i,       // least time between two CNPs; 0: a CNP for each marked packet
  // The flow's queue pair is new: its state returns to that after reset, its interval stays. Packets wait meanwhile.
  input  logic             begin_valid_i,
  output logic             begin_ready_o,
  input  logic [FlowW-1:0] begin_flow_i,

  // Input: a received data packet.
  input  logic             packet_valid_i,
  output logic             packet_ready_o,
  input  logic [FlowW-1:0] packet_flow_i,
  input  logic             packet_marked_i,
  input  logic [47:0]      packet_mac_i,     // sender's MAC address in wire order
  input  logic [31:0]      packet_ip_i,      // sender's IPv4 address in wire order
  input  logic [23:0]      packet_peer_i,    // queue pair of the sender

  // Output AXI4-Stream: CNPs, without FCS.
  output logic             m_tvalid_o,
  input  logic             m_tready_i,
  output logic [511:0]     m_tdata_o,
  output logic [63:0]      m_tkeep_o,
  output logic             m_tlast_o,
  output logic [2:0]       m_tuser_o,

  output logic             error_o,          // a used memory word was wrong; see rtl/packet/doc/contract.md
  output logic [ReportW-1:0] report_o        // report on words used in the previous cycle (ram_guarded.sv); bit 0: error_o
);
  localparam int unsigned TimeW  = 56;  // bits of a time: nine years in units of 4 ns
  localparam int unsigned StateW = TimeW + 17;
  localparam int unsigned EntryW = FlowW + 48 + 32 + 24 + 16;

  if (Flows < 2 || Flows > 1 << 23 || (Flows & (Flows - 1)) != 0) begin : g_flows
    $fatal(1, "dc_notifier: Flows must be a power of two from 2 to 2**23");
  end
  if (Secded > 1) begin : g_secded
    $fatal(1, "dc_notifier: Secded must be 0 or 1");
  end
  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : g_depth
    $fatal(1, "dc_notifier: Depth must be a power of two, at least 2");
  end

  logic [FlowW:0] sweep_q;
  assign init_done_o = sweep_q[FlowW];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sweep_q <= '0;
    else if (!init_done_o) sweep_q <= sweep_q + 1'b1;
  end

  // ---------------------------------------------------------------------------------------------
  // Stage 1: read the state of the packet's flow
  // ---------------------------------------------------------------------------------------------
  logic             take, held_q, settled, full, send, clear, begun;
  logic [FlowW-1:0] flow_q;
  logic             marked_q, carry_q;
  logic [103:0]     sender_q;
  logic [TimeW-1:0] time_q;

  assign packet_ready_o = init_done_o && !begin_valid_i && (!held_q || settled);
  assign begin_ready_o  = init_done_o && !held_q;
  assign begun          = begin_valid_i && begin_ready_o;
  assign take           = packet_valid_i && packet_ready_o;
  assign settled        = held_q && !((send || clear) && full);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= 1'b0;
    else if (take || settled) held_q <= take;
  end
  always_ff @(posedge clk_i) begin
    if (take) begin
      flow_q   <= packet_flow_i;
      marked_q <= packet_marked_i;
      carry_q  <= carry_i;
      sender_q <= {packet_mac_i, packet_ip_i, packet_peer_i};
      time_q   <= now_i;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Stage 2: count, decide about a CNP, write the state
  // ---------------------------------------------------------------------------------------------
  logic [TimeW-1:0] quiet_until, quiet_d;
  logic [7:0]       marks, packets, marks_one, packets_one, marks_d, packets_d, told_marks, told_packets;
  logic             all_marked, all_marked_d;
  logic [31:0]      interval, kept_interval, first_interval;
  logic [StateW-1:0]  kept_state;
  logic [ReportW-1:0] report_state, report_interval, report_cnp, report;

  // A lost state becomes the state after reset; a lost interval is first_interval until the interval is written.
  assign {quiet_until, marks, packets, all_marked} = report_state[0] ? '0 : kept_state;
  assign interval       = report_interval[0] ? first_interval : kept_interval;
  assign first_interval = 32'(Interval);

  assign packets_one = packets + 8'(packets != '1);
  assign marks_one   = marks + 8'(marks != '1);
  assign send        = marked_q && time_q >= quiet_until;
  assign clear       = !marked_q && all_marked && carry_q;
  always_comb begin
    quiet_d      = quiet_until;
    marks_d      = marked_q ? marks_one : marks;
    packets_d    = packets_one;
    all_marked_d = all_marked && marked_q;
    told_marks   = '0;
    told_packets = '0;
    if (send) begin
      quiet_d      = time_q + TimeW'(interval);
      told_marks   = carry_q ? marks_one : 8'd0;
      told_packets = carry_q ? packets_one : 8'd0;
      marks_d      = '0;
      packets_d    = '0;
      all_marked_d = carry_q && marks_one == packets_one;
    end
  end

  ram_guarded #(.Depth(Flows), .Width(StateW), .Secded(Secded), .Number(1), .Early(1)) u_states (
    .clk_i  (clk_i),
    .ram_pins_i('0),
    .ren_i  (take),
    .raddr_i(packet_flow_i),
    .rdata_o(kept_state),
    .wen_i  (!init_done_o || begun || settled),
    .waddr_i(!init_done_o ? sweep_q[FlowW-1:0] : settled ? flow_q : begin_flow_i),
    .wdata_i(settled ? {quiet_d, marks_d, packets_d, all_marked_d} : StateW'(0)),
    .use_i  (held_q),
    .report_o(report_state)
  );
  ram_guarded #(.Depth(Flows), .Width(32), .Secded(Secded), .Number(2), .Early(1)) u_intervals (
    .clk_i  (clk_i),
    .ram_pins_i('0),
    .ren_i  (take),
    .raddr_i(packet_flow_i),
    .rdata_o(kept_interval),
    .wen_i  (!init_done_o || interval_we_i),
    .waddr_i(init_done_o ? interval_flow_i : sweep_q[FlowW-1:0]),
    .wdata_i(init_done_o ? interval_i : first_interval),
    .use_i  (held_q),
    .report_o(report_interval)
  );

  // ---------------------------------------------------------------------------------------------
  // Output: a CNP leaves in two beats
  // ---------------------------------------------------------------------------------------------
  logic             second_q, offered_q, leaves, waiting, lost;
  logic [FlowW-1:0] cnp_flow;
  logic [47:0]      cnp_mac;
  logic [31:0]      cnp_ip;
  logic [23:0]      cnp_peer;
  logic [7:0]       cnp_marks, cnp_packets;

  dc_fifo #(.Depth(Depth), .Width(EntryW), .Secded(Secded), .Number(3), .Early(1)) u_fifo (
    .clk_i  (clk_i),
    .ram_pins_i('0),
    .rst_ni (rst_ni),
    .clear_i(1'b0),
    .push_i (settled && (send || clear)),
    .data_i ({flow_q, sender_q, told_marks, told_packets}),
    .full_o (full),
    .valid_o(waiting),
    .data_o ({cnp_flow, cnp_mac, cnp_ip, cnp_peer, cnp_marks, cnp_packets}),
    .pop_i  (leaves || (waiting && !m_tvalid_o)),
    .error_o(report_cnp)
  );
  assign leaves = m_tvalid_o && m_tready_i && second_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      second_q  <= 1'b0;
      offered_q <= 1'b0;
    end else begin
      if (m_tvalid_o && m_tready_i) second_q <= !second_q;
      offered_q <= m_tvalid_o && !leaves;
    end
  end
  assign lost = report_cnp[0];

  function automatic logic [15:0] big16(input logic [15:0] wire_order);
    big16 = {wire_order[7:0], wire_order[15:8]};
  endfunction

  // Fields of the frame in wire order: the first byte in the low bits.
  localparam logic [15:0] Total     = 16'd60;   // bytes of a CNP from IPv4 header to ICRC
  localparam logic [15:0] UdpLength = 16'd40;
  logic [7:0]   service;
  logic [15:0]  port, checksum;
  logic [19:0]  sum;
  logic [16:0]  folded;
  logic [159:0] ip;
  logic [63:0]  udp;
  logic [95:0]  bth;
  logic [447:0] packet;
  logic [31:0]  crc;
  logic [591:0] frame;

  assign service = {dscp_i, 2'b10};                       // ECN field of CNPs: ECT(0)
  assign port    = {2'b11, 14'(cnp_flow)};
  assign sum     = 20'h4500 + 20'(service) + 20'(Total) + 20'h4000 + 20'h4011 +
                   20'(big16(own_ip_i[15:0])) + 20'(big16(own_ip_i[31:16])) +
                   20'(big16(cnp_ip[15:0])) + 20'(big16(cnp_ip[31:16]));
  assign folded   = 17'(sum[15:0]) + 17'(sum[19:16]);
  assign checksum = ~(folded[15:0] + 16'(folded[16]));
  // IPv4: version and length 0x45, no identification, "do not fragment", time to live 64, protocol UDP.
  assign ip  = {cnp_ip, own_ip_i, big16(checksum), 16'h1140, 16'h0040, 16'h0000, big16(Total), service, 8'h45};
  assign udp = {16'h0000, big16(UdpLength), big16(16'd4791), big16(port)};
  // BTH: opcode 0x81, partition key 0xFFFF, BECN, sequence number 0.
  assign bth = {32'h0, cnp_peer[7:0], cnp_peer[15:8], cnp_peer[23:16], 8'h40, 16'hFFFF, 8'h00, 8'h81};
  assign packet = {112'h0, cnp_packets, cnp_marks, bth, udp, ip};
  dc_cnp_crc u_crc (.use_i(waiting), .packet_i(packet), .crc_o(crc));
  // A CNP with a lost word is dropped. If it is already offered, it leaves with a wrong CRC, so receivers drop it.
  assign frame = {lost ? ~crc : crc, packet, big16(16'h0800), own_mac_i, cnp_mac};

  assign m_tvalid_o = waiting && (offered_q || !lost);
  assign m_tdata_o  = second_q ? 512'(frame[591:512]) : frame[511:0];
  assign m_tkeep_o  = second_q ? 64'h3FF : '1;
  assign m_tlast_o  = second_q;
  assign m_tuser_o  = priority_i;

  ram_reports #(.Count(3), .ReportW(ReportW)) u_reports (
    .reports_i({settled ? report_state : ReportW'(0), settled ? report_interval : ReportW'(0), report_cnp}),
    .report_o (report)
  );
  always_ff @(posedge clk_i) report_o <= report;
  assign error_o = report_o[0];
endmodule
