// Lengths of the waiting packets, in a ring buffer for each flow.
// SPDX-License-Identifier: Apache-2.0
//
// Each pointer has one writer: posts move the end, decisions the beginning. A post that finds at most one packet in
// its flow requests a wake: a decision under way may have taken that packet without seeing the new one.
//
// Each pointer has two copies, one for each reader. A reader whose copy is lost reads the other one in the next cycle;
// the lost copy is rewritten with the next change of the pointer. The memories have the numbers 9 to 13 in reports.
module dc_pacer_queues #(
  parameter int unsigned Flows = 1024,
  parameter int unsigned Depth = 4,      // waiting packets per flow, a power of two, at least 2
  parameter int unsigned Secded = 0,     // 1: memories correct bits (ram_guarded.sv)
  localparam int unsigned FlowW   = $clog2(Flows),
  localparam int unsigned PlaceW  = $clog2(Depth),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1,
  localparam int unsigned BytesW = dc_pacer_pkg::BytesW
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              sweep_i,       // clears both pointers of the swept flow
  input  logic [FlowW-1:0]  sweep_flow_i,

  input  logic              post_i,
  input  logic [FlowW-1:0]  post_flow_i,
  input  logic [BytesW-1:0] post_bytes_i,
  output logic              refused_o,     // the ring was full at the post one cycle ago (two cycles if hold_o was 1)
  output logic              wake_o,        // the post one cycle ago (two if hold_o was 1) needs a wake
  output logic [FlowW-1:0]  wake_flow_o,

  output logic              hold_o,        // no post and no operation may begin in this cycle

  input  logic              read_i,        // an operation begins: three steps, one a cycle
  input  logic [FlowW-1:0]  read_flow_i,
  input  logic              step_i,        // one cycle after read_i: second step of the operation
  input  logic [FlowW-1:0]  step_flow_i,
  output logic              again_o,  // valid with step_i: a pointer was lost, so the step is repeated
  input  logic              pop_i,         // valid with step_i: removes the flow's first packet
  output logic              any_o,         // valid with step_i: the flow has a remaining packet
  output logic [BytesW-1:0] bytes_o,       // one cycle after step_i: length of the first remaining packet; 0: lost
  output logic [ReportW-1:0] report_o      // report on the words used in this cycle (ram_guarded.sv, Early)
);
  logic [PlaceW:0]  post_begin, post_end, read_begin, read_end, first;
  logic [PlaceW:0]  post_begin_word, post_end_word, read_begin_word, read_end_word;
  logic             posted_q, put, post_again, post_twice_q, step_twice_q, some_q;
  logic [BytesW-1:0] length;
  logic [ReportW-1:0] report_post_begin, report_post_end, report_read_begin, report_read_end, report_length;
  logic [FlowW-1:0] posted_flow_q;
  logic [BytesW-1:0] posted_bytes_q;
  logic [PlaceW:0]  count;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      posted_q     <= 1'b0;
      post_twice_q <= 1'b0;
      step_twice_q <= 1'b0;
    end else begin
      posted_q     <= post_i || post_again;
      post_twice_q <= post_again;
      step_twice_q <= again_o;
    end
  end
  assign post_again = posted_q && !post_twice_q && (report_post_begin[0] || report_post_end[0]);
  assign again_o    = step_i && !step_twice_q && (report_read_begin[0] || report_read_end[0]);
  assign hold_o     = post_again || again_o;
  assign post_begin = post_twice_q ? read_begin_word : post_begin_word;
  assign post_end   = post_twice_q ? read_end_word : post_end_word;
  assign read_begin = step_twice_q ? post_begin_word : read_begin_word;
  assign read_end   = step_twice_q ? post_end_word : read_end_word;
  always_ff @(posedge clk_i) begin
    if (post_i) begin
      posted_flow_q  <= post_flow_i;
      posted_bytes_q <= post_bytes_i;
    end
  end
  assign count       = post_end - post_begin;
  assign refused_o   = posted_q && !post_again && count == (PlaceW + 1)'(Depth);
  assign put         = posted_q && !post_again && !refused_o;
  assign wake_o      = put && count <= (PlaceW + 1)'(1);
  assign wake_flow_o = posted_flow_q;
  assign first       = read_begin + (PlaceW + 1)'(pop_i);
  assign any_o       = first != read_end;

  logic             write_begin, write_end, read_post, read_step;
  logic [FlowW-1:0] post_at, step_at;
  logic [FlowW-1:0] begin_flow, end_flow;
  logic [PlaceW:0]  begin_d, end_d;
  assign write_begin = sweep_i || (step_i && !again_o && pop_i);
  assign begin_flow  = sweep_i ? sweep_flow_i : step_flow_i;
  assign begin_d     = sweep_i ? '0 : first;
  assign write_end   = sweep_i || put;
  assign end_flow    = sweep_i ? sweep_flow_i : posted_flow_q;
  assign end_d       = sweep_i ? '0 : post_end + 1'b1;

  // A repeated step of an operation reads the posts' copies of pointers; a repeated post reads the operations' copies.
  assign read_post = post_i || again_o;
  assign post_at   = again_o ? step_flow_i : post_flow_i;
  assign read_step = read_i || post_again;
  assign step_at   = post_again ? posted_flow_q : read_flow_i;

  ram_guarded #(.Depth(Flows), .Width(PlaceW + 1), .Secded(Secded), .Number(9), .Early(1)) u_post_begin (
    .clk_i,
    .ram_pins_i('0), .ren_i(read_post), .raddr_i(post_at), .rdata_o(post_begin_word),
    .wen_i(write_begin), .waddr_i(begin_flow), .wdata_i(begin_d),
    .use_i((posted_q && !post_twice_q) || step_twice_q), .report_o(report_post_begin));
  ram_guarded #(.Depth(Flows), .Width(PlaceW + 1), .Secded(Secded), .Number(10), .Early(1)) u_post_end (
    .clk_i,
    .ram_pins_i('0), .ren_i(read_post), .raddr_i(post_at), .rdata_o(post_end_word),
    .wen_i(write_end), .waddr_i(end_flow), .wdata_i(end_d),
    .use_i((posted_q && !post_twice_q) || step_twice_q), .report_o(report_post_end));
  ram_guarded #(.Depth(Flows), .Width(PlaceW + 1), .Secded(Secded), .Number(11), .Early(1)) u_read_begin (
    .clk_i,
    .ram_pins_i('0), .ren_i(read_step), .raddr_i(step_at), .rdata_o(read_begin_word),
    .wen_i(write_begin), .waddr_i(begin_flow), .wdata_i(begin_d),
    .use_i((step_i && !step_twice_q) || post_twice_q), .report_o(report_read_begin));
  ram_guarded #(.Depth(Flows), .Width(PlaceW + 1), .Secded(Secded), .Number(12), .Early(1)) u_read_end (
    .clk_i,
    .ram_pins_i('0), .ren_i(read_step), .raddr_i(step_at), .rdata_o(read_end_word),
    .wen_i(write_end), .waddr_i(end_flow), .wdata_i(end_d),
    .use_i((step_i && !step_twice_q) || post_twice_q), .report_o(report_read_end));
  // Words beyond the end of a ring are not used.
  always_ff @(posedge clk_i) some_q <= step_i && !again_o && any_o;
  ram_guarded #(.Depth(Flows * Depth), .Width(BytesW), .Secded(Secded), .Number(13), .Early(1)) u_lengths (
    .clk_i,
    .ram_pins_i('0), .ren_i(step_i), .raddr_i({step_flow_i, first[PlaceW-1:0]}), .rdata_o(length),
    .wen_i(put), .waddr_i({posted_flow_q, post_end[PlaceW-1:0]}), .wdata_i(posted_bytes_q),
    .use_i(some_q), .report_o(report_length));
  assign bytes_o = report_length[0] ? '0 : length;

  ram_reports #(.Count(5), .ReportW(ReportW)) u_reports (
    .reports_i({report_post_begin, report_post_end, report_read_begin, report_read_end, report_length}), .report_o);
endmodule
