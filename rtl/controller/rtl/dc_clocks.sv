// Clocks of the controller's parts: with ClockGate, parts that have nothing to do get no edge.
// SPDX-License-Identifier: Apache-2.0
//
// Queues, arbiter, pipeline of events and rate port have the clock clk_events_o. It runs while work_i is 1 and Settle
// cycles longer: without work nothing is issued, and what is under way has left by then, so that at an edge that is
// left out no register would change. rtl/formal/standstill.py proves that from any state.
//
// The entries of the byte queue (dc_byte_queue.sv) have the clock clk_entries_o. It runs in a cycle in which a byte
// notification is offered, and in the next one: a notification that joins an entry is added to its sums a cycle later.
//
// The hash table of SparseFlows moves entries long after the event that brought them: the look-up keeps clk_i.
module dc_clocks #(
  parameter int unsigned ClockGate   = 0,
  parameter int unsigned SparseFlows = 0,
  parameter int unsigned Latency     = 64  // edges from issue to answer
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic scan_mode_i,
  input  logic work_i,     // something waits, is offered or accessed, or the controller is not ready
  input  logic offered_i,  // a byte notification is offered to the byte queue
  output logic clk_events_o,
  output logic clk_lookup_o,
  output logic clk_entries_o
);
  if (ClockGate != 0) begin : g_gated
    // An answer that leaves Latency edges after its issue is the last trace of an event.
    localparam int unsigned Settle = Latency + 4;
    localparam int unsigned CountW = $clog2(Settle + 1);
    logic [CountW-1:0] left_q;  // cycles for which the clock of events still runs
    logic              offered_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        left_q    <= CountW'(Settle);
        offered_q <= 1'b0;
      end else begin
        left_q    <= work_i ? CountW'(Settle) : left_q - CountW'(left_q != '0);
        offered_q <= offered_i;
      end
    end
    dc_clock_gate u_events (
      .clk_i      (clk_i),
      .enable_i   (work_i || left_q != '0),
      .scan_mode_i(scan_mode_i),
      .clk_o      (clk_events_o)
    );
    dc_clock_gate u_entries (
      .clk_i      (clk_i),
      .enable_i   (offered_i || offered_q),
      .scan_mode_i(scan_mode_i),
      .clk_o      (clk_entries_o)
    );
  end else begin : g_free
    assign clk_events_o  = clk_i;
    assign clk_entries_o = clk_i;

    logic unused;
    assign unused = &{1'b0, rst_ni, scan_mode_i, work_i, offered_i};
  end

  if (SparseFlows != 0) begin : g_sparse
    assign clk_lookup_o = clk_i;
  end else begin : g_direct
    assign clk_lookup_o = clk_events_o;
  end
endmodule
