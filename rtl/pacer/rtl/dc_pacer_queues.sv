// Lengths of the waiting packets, a ring for each flow.
// SPDX-License-Identifier: Apache-2.0
//
// Each pointer has one writer: posts move the end, decisions the beginning. A post that finds at most one packet in
// its flow asks for a wake: a decision under way may have taken that packet without seeing the new one.
module dc_pacer_queues #(
  parameter int unsigned Flows = 1024,
  parameter int unsigned Depth = 4,      // waiting packets per flow, a power of two, at least 2
  localparam int unsigned FlowW  = $clog2(Flows),
  localparam int unsigned PlaceW = $clog2(Depth),
  localparam int unsigned BytesW = dc_pacer_pkg::BytesW
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              sweep_i,       // clears both pointers of this flow
  input  logic [FlowW-1:0]  sweep_flow_i,

  input  logic              post_i,
  input  logic [FlowW-1:0]  post_flow_i,
  input  logic [BytesW-1:0] post_bytes_i,
  output logic              refused_o,     // post of the previous cycle: the ring was full
  output logic              wake_o,        // post of the previous cycle: a wake is needed
  output logic [FlowW-1:0]  wake_flow_o,

  input  logic              read_i,        // an operation begins: three steps, one a cycle
  input  logic [FlowW-1:0]  read_flow_i,
  input  logic              step_i,        // one cycle after read_i: the second step
  input  logic [FlowW-1:0]  step_flow_i,
  input  logic              pop_i,         // with step_i: removes the first packet
  output logic              any_o,         // with step_i: a packet remains
  output logic [BytesW-1:0] bytes_o        // one cycle after step_i: length of the first remaining packet
);
  logic [PlaceW:0]  post_begin, post_end, read_begin, read_end, first;
  logic             posted_q, put;
  logic [FlowW-1:0] posted_flow_q;
  logic [BytesW-1:0] posted_bytes_q;
  logic [PlaceW:0]  count;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) posted_q <= 1'b0;
    else posted_q <= post_i;
  end
  always_ff @(posedge clk_i) begin
    if (post_i) begin
      posted_flow_q  <= post_flow_i;
      posted_bytes_q <= post_bytes_i;
    end
  end
  assign count       = post_end - post_begin;
  assign refused_o   = posted_q && count == (PlaceW + 1)'(Depth);
  assign put         = posted_q && !refused_o;
  assign wake_o      = put && count <= (PlaceW + 1)'(1);
  assign wake_flow_o = posted_flow_q;
  assign first       = read_begin + (PlaceW + 1)'(pop_i);
  assign any_o       = first != read_end;

  // Each pointer has two copies, one for each reader.
  logic             write_begin, write_end;
  logic [FlowW-1:0] begin_flow, end_flow;
  logic [PlaceW:0]  begin_d, end_d;
  assign write_begin = sweep_i || (step_i && pop_i);
  assign begin_flow  = sweep_i ? sweep_flow_i : step_flow_i;
  assign begin_d     = sweep_i ? '0 : first;
  assign write_end   = sweep_i || put;
  assign end_flow    = sweep_i ? sweep_flow_i : posted_flow_q;
  assign end_d       = sweep_i ? '0 : post_end + 1'b1;

  ram_1r1w #(.Depth(Flows), .Width(PlaceW + 1)) u_post_begin (
    .clk_i, .ren_i(post_i), .raddr_i(post_flow_i), .rdata_o(post_begin),
    .wen_i(write_begin), .waddr_i(begin_flow), .wdata_i(begin_d));
  ram_1r1w #(.Depth(Flows), .Width(PlaceW + 1)) u_post_end (
    .clk_i, .ren_i(post_i), .raddr_i(post_flow_i), .rdata_o(post_end),
    .wen_i(write_end), .waddr_i(end_flow), .wdata_i(end_d));
  ram_1r1w #(.Depth(Flows), .Width(PlaceW + 1)) u_read_begin (
    .clk_i, .ren_i(read_i), .raddr_i(read_flow_i), .rdata_o(read_begin),
    .wen_i(write_begin), .waddr_i(begin_flow), .wdata_i(begin_d));
  ram_1r1w #(.Depth(Flows), .Width(PlaceW + 1)) u_read_end (
    .clk_i, .ren_i(read_i), .raddr_i(read_flow_i), .rdata_o(read_end),
    .wen_i(write_end), .waddr_i(end_flow), .wdata_i(end_d));
  ram_1r1w #(.Depth(Flows * Depth), .Width(BytesW)) u_lengths (
    .clk_i, .ren_i(step_i), .raddr_i({step_flow_i, first[PlaceW-1:0]}), .rdata_o(bytes_o),
    .wen_i(put), .waddr_i({posted_flow_q, post_end[PlaceW-1:0]}), .wdata_i(posted_bytes_q));
endmodule
