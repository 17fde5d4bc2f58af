// Queues for frames from the host: up to Depth frames of each flow wait until the pacer decides that the flow sends.
// SPDX-License-Identifier: Apache-2.0
//
// The module stores a whole frame and posts it to the pacer. A decision of the pacer sends the oldest frame of its
// flow without gaps. A frame of a flow that already has Depth frames blocks the input, with all frames behind it. A
// frame with a lost word leaves as a bad frame (m_cut_o); a frame whose length the pacer has lost is dropped.
module dc_send_queues #(
  parameter int unsigned Flows    = 64,   // number of flows, a power of two
  parameter int unsigned Depth    = 4,    // waiting frames per flow, a power of two, at least 2
  parameter int unsigned MaxBeats = 32,   // beats of the longest frame, a power of two
  parameter int unsigned SideW    = 33,   // number of side bits that travel with a frame
  parameter int unsigned Overhead = 24,   // bytes of a frame on the wire beyond those of the stream
  parameter int unsigned Secded   = 0,    // 1: memories correct a wrong bit of 64 (rtl/secded/ram_guarded.sv)
  localparam int unsigned FlowW   = $clog2(Flows),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1,
  localparam int unsigned BytesW = dc_pacer_pkg::BytesW
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  // Input stream: frames from the host.
  input  logic              s_tvalid_i,
  output logic              s_tready_o,
  input  logic [511:0]      s_tdata_i,
  input  logic [63:0]       s_tkeep_i,
  input  logic              s_tlast_i,
  input  logic [FlowW-1:0]  s_flow_i,
  input  logic [SideW-1:0]  s_side_i,       // side bits of the frame, valid with its last beat
  output logic              cut_o,          // a frame was longer than MaxBeats and lost its end

  // Posts to the pacer: bytes on the wire of a stored frame.
  output logic              post_valid_o,
  input  logic              post_ready_i,
  output logic [FlowW-1:0]  post_flow_o,
  output logic [BytesW-1:0] post_bytes_o,
  // Input: the pacer's decisions.
  output logic              want_o,
  input  logic              sent_valid_i,
  input  logic [FlowW-1:0]  sent_flow_i,
  input  logic [BytesW-1:0] sent_bytes_i,   // bytes of the frame; 0: the pacer lost the length

  // Output stream: frames to the wire.
  output logic              m_tvalid_o,
  input  logic              m_tready_i,
  output logic [511:0]      m_tdata_o,
  output logic [63:0]       m_tkeep_o,
  output logic              m_tlast_o,
  output logic              m_cut_o,        // valid with m_tlast_o: the frame lost its end or a word
  output logic [SideW-1:0]  m_side_o,
  // The first beat of a frame leaves: flow of the frame, and its bytes without Overhead.
  output logic              start_valid_o,
  input  logic              start_ready_i,
  output logic [FlowW-1:0]  start_flow_o,
  output logic [BytesW-1:0] start_bytes_o,

  output logic [ReportW-1:0] report_o       // report on the words that left in the previous cycle (ram_guarded.sv)
);
  localparam int unsigned SlotW  = $clog2(Depth);
  localparam int unsigned BeatW  = $clog2(MaxBeats);
  localparam int unsigned AddrW  = FlowW + SlotW + BeatW;
  localparam int unsigned Ahead  = 4;   // decisions that wait for the wire, a power of two
  localparam int unsigned AheadW = $clog2(Ahead);

  if (MaxBeats < 2 || (MaxBeats & (MaxBeats - 1)) != 0 || 64 * MaxBeats + Overhead >= 1 << BytesW) begin : g_beats
    $fatal(1, "dc_send_queues: MaxBeats must be a power of two, at least 2, and fit the pacer's bytes");
  end

  // ---------------------------------------------------------------------------------------------
  // Store
  // ---------------------------------------------------------------------------------------------
  // Numbers of frames of a flow that arrived and that left; the difference is the number of stored frames.
  // Flow f has CountW bits from bit CountW f on. Vectors: an array of many flows cannot be reset in Verilator.
  localparam int unsigned CountW = SlotW + 1;
  logic [Flows*CountW-1:0] tails_q, heads_q;
  logic [SlotW:0]      in_tail, in_head, out_head;  // numbers of the flow that arrives, and of the one that leaves
  logic                take, stored, full, over, post_q;
  logic [BeatW:0]      in_beat_q;          // beat number in the frame; MaxBeats: the frame is too long
  logic [BytesW-1:0]   post_bytes_q;
  logic [FlowW-1:0]    post_flow_q;
  logic [6:0]          kept;
  logic [SlotW:0]      here;

  assign in_tail    = tails_q[s_flow_i*CountW +: CountW];
  assign in_head    = heads_q[s_flow_i*CountW +: CountW];
  assign here       = in_tail - in_head;
  assign full       = here == (SlotW + 1)'(Depth);
  assign s_tready_o = !full && (!post_q || post_ready_i);
  assign take       = s_tvalid_i && s_tready_o;
  assign stored     = take && s_tlast_i;
  assign over       = in_beat_q[BeatW];
  assign cut_o      = stored && over;

  always_comb begin
    kept = '0;
    for (int unsigned i = 0; i < 64; i++) kept += 7'(s_tkeep_i[i]);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tails_q   <= '0;
      in_beat_q <= '0;
      post_q    <= 1'b0;
    end else begin
      if (stored) tails_q[s_flow_i*CountW +: CountW] <= in_tail + 1'b1;
      if (stored) in_beat_q <= '0;
      else if (take && !over) in_beat_q <= in_beat_q + 1'b1;
      if (stored) post_q <= 1'b1;
      else if (post_ready_i) post_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (stored) begin
      post_flow_q  <= s_flow_i;
      post_bytes_q <= BytesW'(Overhead) +
                      (over ? BytesW'(64 * MaxBeats) : BytesW'({in_beat_q[BeatW-1:0], 6'd0}) + BytesW'(kept));
    end
  end
  assign post_valid_o = post_q;
  assign post_flow_o  = post_flow_q;
  assign post_bytes_o = post_bytes_q;

  // ---------------------------------------------------------------------------------------------
  // FIFO of the pacer's decisions that wait for the wire. The FIFO has room for every requested decision not yet made.
  // ---------------------------------------------------------------------------------------------
  logic [FlowW-1:0]  next_flows_q [Ahead];
  logic [BytesW-1:0] next_bytes_q [Ahead];
  logic [AheadW:0]   count_q;
  logic [AheadW-1:0] first_q, last_q;
  logic [1:0]        wanted_q;
  logic              pop, waiting;

  assign want_o  = 32'(count_q) + 32'(wanted_q[0]) + 32'(wanted_q[1]) < Ahead;
  assign waiting = count_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q  <= '0;
      first_q  <= '0;
      last_q   <= '0;
      wanted_q <= '0;
    end else begin
      wanted_q <= {wanted_q[0], want_o};
      count_q  <= count_q + (AheadW + 1)'(sent_valid_i) - (AheadW + 1)'(pop);
      last_q   <= last_q + AheadW'(sent_valid_i);
      first_q  <= first_q + AheadW'(pop);
    end
  end
  always_ff @(posedge clk_i) begin
    if (sent_valid_i) begin
      next_flows_q[last_q] <= sent_flow_i;
      next_bytes_q[last_q] <= sent_bytes_i == '0 ? '0 : sent_bytes_i - BytesW'(Overhead);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Send: beats are read while the output takes them; the next frame follows without a gap
  // ---------------------------------------------------------------------------------------------
  logic [BeatW-1:0]  out_beat_q;
  logic              data_q, ren, final_beat, first_beat, drop, bad_q, wrong, cut;
  logic [ReportW-1:0] report_beat, report_side, report;
  logic [FlowW-1:0]  out_flow;
  logic [SlotW-1:0]  out_slot;
  logic [BytesW-1:0] out_bytes, last_byte;
  logic [AddrW-1:0]  raddr, waddr;

  assign out_flow      = next_flows_q[first_q];
  assign out_bytes     = next_bytes_q[first_q];
  assign last_byte     = out_bytes - 1'b1;
  assign out_head      = heads_q[out_flow*CountW +: CountW];
  assign out_slot      = out_head[SlotW-1:0];
  assign first_beat    = out_beat_q == '0;
  assign final_beat    = out_beat_q == last_byte[6 +: BeatW];
  assign drop          = waiting && out_bytes == '0;
  assign ren           = waiting && !drop && (!data_q || m_tready_i) && (!first_beat || start_ready_i);
  assign pop           = drop || (ren && final_beat);
  assign start_valid_o = ren && first_beat;
  assign start_flow_o  = out_flow;
  assign start_bytes_o = out_bytes;
  assign raddr         = {out_flow, out_slot, out_beat_q};
  assign waddr         = {s_flow_i, in_tail[SlotW-1:0], in_beat_q[BeatW-1:0]};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      heads_q    <= '0;
      out_beat_q <= '0;
      data_q     <= 1'b0;
      bad_q      <= 1'b0;
    end else begin
      if (data_q) bad_q <= (bad_q || wrong) && !(m_tready_i && m_tlast_o);
      if (ren) out_beat_q <= final_beat ? '0 : out_beat_q + 1'b1;
      if (pop) heads_q[out_flow*CountW +: CountW] <= out_head + 1'b1;
      if (ren || m_tready_i) data_q <= ren;
    end
  end
  assign m_tvalid_o = data_q;

  always_ff @(posedge clk_i) begin
    if (ren) m_tlast_o <= final_beat;
  end

  ram_guarded #(.Depth(1 << AddrW), .Width(576), .Secded(Secded), .Number(17), .Early(1)) u_beats (
    .clk_i,
    .ram_pins_i('0),
    .ren_i  (ren),
    .raddr_i(raddr),
    .rdata_o({m_tkeep_o, m_tdata_o}),
    .wen_i  (take && !over),
    .waddr_i(waddr),
    .wdata_i({s_tkeep_i, s_tdata_i}),
    .use_i  (data_q),
    .report_o(report_beat)
  );
  ram_guarded #(
    .Depth(Flows * Depth), .Width(SideW + 1), .Secded(Secded), .Number(18), .Early(1)
  ) u_sides (
    .clk_i,
    .ram_pins_i('0),
    .ren_i  (ren),
    .raddr_i(raddr[AddrW-1:BeatW]),
    .rdata_o({cut, m_side_o}),
    .wen_i  (stored),
    .waddr_i(waddr[AddrW-1:BeatW]),
    .wdata_i({over, s_side_i}),
    .use_i  (data_q),
    .report_o(report_side)
  );
  assign wrong   = report_beat[0] || report_side[0];
  assign m_cut_o = cut || bad_q || wrong;
  ram_reports #(.Count(2), .ReportW(ReportW)) u_reports (
    .reports_i(m_tready_i ? {report_beat, report_side} : (2 * ReportW)'(0)),
    .report_o (report)
  );
  always_ff @(posedge clk_i) report_o <= report;
endmodule
