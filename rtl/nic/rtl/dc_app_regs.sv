// Registers of the application block except those of the controller: addresses, contexts of flows, counters.
// SPDX-License-Identifier: Apache-2.0
//
// rtl/nic/doc/contract.md has the register map. A waiting access holds pready_o low; a refused access changes nothing.
module dc_app_regs #(
  parameter int unsigned Flows  = 64,
  parameter int unsigned Secded = 0,  // 1: memories correct bits (rtl/secded/ram_guarded.sv)
  localparam int unsigned FlowW   = $clog2(Flows),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // APB4 slave port
  input  logic             psel_i,
  input  logic             penable_i,
  input  logic             pwrite_i,
  input  logic [19:0]      paddr_i,
  input  logic [31:0]      pwdata_i,
  input  logic [3:0]       pstrb_i,
  output logic             pready_o,
  output logic [31:0]      prdata_o,
  output logic             pslverr_o,
  // outputs of the configuration registers
  output logic [23:0]      qpn_base_o,
  output logic [31:0]      own_ip_o,
  output logic [47:0]      own_mac_o,
  output logic [5:0]       cnp_dscp_o,
  output logic [2:0]       cnp_priority_o,
  output logic             counting_o,
  output logic [31:0]      default_rate_o,
  // Write of a flow's context: valid for one cycle in which ready_i is 1.
  output logic             context_valid_o,
  input  logic             context_ready_i,
  output logic [FlowW-1:0] context_flow_o,
  output logic             context_bound_o,
  output logic [5:0]       context_dscp_o,
  output logic [2:0]       context_priority_o,
  output logic [23:0]      context_peer_o,
  output logic [31:0]      context_interval_o,
  // Command to the controller: query or release of a flow
  output logic             command_valid_o,
  input  logic             command_ready_i,
  output logic             command_query_o,
  output logic [FlowW-1:0] command_flow_o,
  // inputs: state of the block
  input  logic             ready_i,
  input  logic             strict_i,
  input  logic [ReportW-1:0] report_i,    // report on memory words used (ram_guarded.sv)
  // Inputs with events to count, at most one of each a cycle
  input  logic             refused_i,
  input  logic             unbound_i,
  input  logic             cnp_in_i,
  input  logic             cnp_out_i,
  input  logic             cut_i
);
  localparam logic [31:0] Id = 32'h4443_4E31;  // register ID: the letters "DCN1"
  localparam int unsigned Counters = 5;

  logic              access, known, writable, act, waits, error_q;
  logic [5:0]        word;
  logic [31:0]       interval_q, default_q;
  logic [23:0]       peer_q;
  logic [Counters*32-1:0] counts_q;
  logic [15:0]       wrongs_q, correcteds_q;  // counts of wrong and of corrected words, saturated
  logic [31:0]       place;
  logic              corrected;
  logic [Counters-1:0]    events;
  logic              flow_fits, is_context, is_command;

  assign events     = {cut_i, cnp_out_i, cnp_in_i, unbound_i, refused_i};
  assign access     = psel_i && penable_i;
  assign word       = paddr_i[7:2];
  assign is_context = word == 6'h0A;
  assign is_command = word == 6'h0B;
  assign flow_fits  = (pwdata_i[21:0] >> FlowW) == '0;
  assign known      = paddr_i[19:8] == '0 && paddr_i[1:0] == '0 && word <= 6'h13;
  assign writable   = ((word >= 6'h02 && word <= 6'h0B) || word == 6'h13) && pstrb_i == '1 &&
                      !((is_context || is_command) && !(flow_fits && ready_i));
  assign pslverr_o  = !known || (pwrite_i && !writable);
  assign act        = access && pwrite_i && !pslverr_o;
  assign waits      = (context_valid_o && !context_ready_i) || (command_valid_o && !command_ready_i);
  assign pready_o   = !waits;

  assign context_valid_o    = act && is_context;
  assign context_flow_o     = pwdata_i[FlowW-1:0];
  assign context_dscp_o     = pwdata_i[27:22];
  assign context_priority_o = pwdata_i[30:28];
  assign context_bound_o    = pwdata_i[31];
  assign context_peer_o     = peer_q;
  assign context_interval_o = interval_q;
  assign command_valid_o    = act && is_command;
  assign command_flow_o     = pwdata_i[FlowW-1:0];
  assign command_query_o    = pwdata_i[31];
  assign default_rate_o     = default_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      qpn_base_o     <= '0;
      own_ip_o       <= '0;
      own_mac_o      <= '0;
      cnp_dscp_o     <= 6'd48;
      cnp_priority_o <= 3'd6;
      counting_o     <= 1'b1;
      default_q      <= 32'd100_000 << 8;
      peer_q         <= '0;
      interval_q     <= 32'd500;
      error_q        <= 1'b0;
      counts_q       <= '0;
      wrongs_q       <= '0;
      correcteds_q   <= '0;
    end else begin
      if (report_i[0]) error_q <= 1'b1;
      wrongs_q     <= wrongs_q + 16'(report_i[0] && wrongs_q != '1);
      correcteds_q <= correcteds_q + 16'(corrected && correcteds_q != '1);
      for (int unsigned i = 0; i < Counters; i++) begin
        counts_q[32*i +: 32] <= counts_q[32*i +: 32] + 32'(events[i]);
      end
      if (act) begin
        case (word)
          6'h02:   qpn_base_o <= pwdata_i[23:0];
          6'h03:   own_ip_o <= pwdata_i;
          6'h04:   own_mac_o[31:0] <= pwdata_i;
          6'h05:   own_mac_o[47:32] <= pwdata_i[15:0];
          6'h06: begin
            cnp_dscp_o     <= pwdata_i[5:0];
            cnp_priority_o <= pwdata_i[10:8];
            counting_o     <= pwdata_i[16];
          end
          6'h07:   default_q <= pwdata_i;
          6'h08:   peer_q <= pwdata_i[23:0];
          6'h09:   interval_q <= pwdata_i;
          default: ;
        endcase
      end
    end
  end

  // Report on the last corrected word; a wrong word's report stays until software writes the register.
  if (Secded != 0) begin : g_place
    logic [30:0] place_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) place_q <= '0;
      else if (!place_q[0] && report_i[1:0] != '0) place_q <= report_i;
      else if (act && word == 6'h13) place_q <= '0;
    end
    assign place     = {1'b0, place_q};
    assign corrected = report_i[1];
  end else begin : g_no_place
    assign place     = '0;
    assign corrected = 1'b0;
  end

  always_comb begin
    case (word)
      6'h00:   prdata_o = Id;
      6'h01:   prdata_o = {28'd0, 1'(Secded != 0), error_q, strict_i, ready_i};
      6'h02:   prdata_o = {8'd0, qpn_base_o};
      6'h03:   prdata_o = own_ip_o;
      6'h04:   prdata_o = own_mac_o[31:0];
      6'h05:   prdata_o = {16'd0, own_mac_o[47:32]};
      6'h06:   prdata_o = {15'd0, counting_o, 5'd0, cnp_priority_o, 2'd0, cnp_dscp_o};
      6'h07:   prdata_o = default_q;
      6'h08:   prdata_o = {8'd0, peer_q};
      6'h09:   prdata_o = interval_q;
      6'h0C:   prdata_o = counts_q[32*0 +: 32];
      6'h0D:   prdata_o = counts_q[32*1 +: 32];
      6'h0E:   prdata_o = counts_q[32*2 +: 32];
      6'h0F:   prdata_o = counts_q[32*3 +: 32];
      6'h10:   prdata_o = counts_q[32*4 +: 32];
      6'h11:   prdata_o = {16'd0, wrongs_q};
      6'h12:   prdata_o = {16'd0, correcteds_q};
      6'h13:   prdata_o = place;
      default: prdata_o = '0;
    endcase
  end
endmodule
