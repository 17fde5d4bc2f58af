// Queue of byte notifications, joined by flow: one entry for each flow, in the order of the first notification.
// SPDX-License-Identifier: Apache-2.0
//
// A notification does not join an entry that is taken in the same cycle. Only a new entry needs room, so
// ready depends on the offered flow (not on valid_i). A notification that joins is added to its entry's sums a cycle
// later; the head's outputs have it at once.
//
// An entry has three parity bits, so that one lost bit of it is told when it is at the head. An entry whose flow number
// or its parity lost a bit is found by no flow: numbers that differ by one bit differ in their parity. A join to an
// entry whose sums are wrong leaves their parity wrong. Flow number, DSCP and sums (length and packets) have one
// parity bit each, with which the number of ones is odd.
module dc_byte_queue #(
  parameter int unsigned Depth = 64,  // number of entries, a power of two, at least 2
  parameter int unsigned FlowW = 14,
  parameter int unsigned Secded = 0,  // 1: reports have the form of memories that correct bits; no entry is corrected
  parameter int unsigned Number = 0,  // the queue's number in reports (ram_guarded.sv)
  localparam int unsigned AddrW = $clog2(Depth),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic             clk_i,
  input  logic             clk_entries_i,  // clk_i, or its edges in cycles with valid_i and in those after them
  input  logic             rst_ni,
  input  logic             clear_i,
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [FlowW-1:0] flow_i,
  input  logic [5:0]       dscp_i,
  input  logic [31:0]      length_i,
  output logic             valid_o,
  output logic [FlowW-1:0] flow_o,
  output logic [5:0]       dscp_o,     // DSCP of the head entry's last notification
  output logic [31:0]      length_o,   // sum of the head entry's lengths, saturated
  output logic [15:0]      packets_o,  // number of notifications joined in the head entry, saturated
  input  logic             pop_i,      // removes the head entry; allowed only with valid_o
  output logic [ReportW-1:0] error_o   // report on the previous cycle's head (ram_guarded.sv)
);
  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : g_depth
    $fatal(1, "dc_byte_queue: Depth (dcc_top: BytesDepth) must be a power of two, at least 2");
  end

  logic [Depth-1:0] used_q;
  logic [FlowW-1:0] flow_q [Depth];
  logic [5:0]       dscp_q [Depth];
  logic [31:0]      length_q [Depth];
  logic [15:0]      packets_q [Depth];
  logic [AddrW-1:0] head_q, tail_q;
  logic [Depth-1:0] flow_parity_q, dscp_parity_q, sums_parity_q;  // sums: length and packets

  // ---------------------------------------------------------------------------------------------
  // Entry of the offered flow: each flow has at most one entry. pop_i comes late in the cycle, so pop_i only decides
  // whether the entry that was found counts.
  // ---------------------------------------------------------------------------------------------
  logic [Depth-1:0] match;
  logic [AddrW-1:0] match_at, put_at;
  logic             joins, full, put, flow_parity;
  assign flow_parity = ~^flow_i;

  always_comb begin
    match    = '0;
    match_at = '0;
    if (used_q != '0) begin  // skipping this search saves simulation time
      for (int unsigned i = 0; i < Depth; i++) begin
        match[i] = used_q[i] && flow_q[i] == flow_i && flow_parity_q[i] == flow_parity;
        if (match[i]) match_at = match_at | AddrW'(i);
      end
    end
  end

  assign joins   = match != '0 && !(pop_i && match[head_q]);
  assign full    = used_q[tail_q] && !pop_i;
  assign ready_o = joins || !full;
  assign put     = valid_i && ready_o;
  assign put_at  = joins ? match_at : tail_q;

  // ---------------------------------------------------------------------------------------------
  // The notification that joined in the previous cycle
  // ---------------------------------------------------------------------------------------------
  logic             adds_q, at_head;
  logic [AddrW-1:0] add_at_q;
  logic [31:0]      add_length_q, length;
  logic [32:0]      sum;
  logic [15:0]      packets;
  logic             sums_wrong;  // the sums to which the notification is added have wrong parity

  assign sum     = {1'b0, length_q[add_at_q]} + {1'b0, add_length_q};
  assign length  = sum[32] ? '1 : sum[31:0];
  assign packets = packets_q[add_at_q] + 16'(packets_q[add_at_q] != '1);
  assign at_head = adds_q && add_at_q == head_q;
  always_comb begin
    sums_wrong = 1'b0;
    if (adds_q) sums_wrong = sums_parity_q[add_at_q] != ~^{length_q[add_at_q], packets_q[add_at_q]};
  end

  // Registers that are always written before they are read, so without a reset.
  always_ff @(posedge clk_entries_i) begin
    if (adds_q) begin
      length_q[add_at_q]  <= length;
      packets_q[add_at_q] <= packets;
      sums_parity_q[add_at_q] <= ~^{length, packets} ^ sums_wrong;
    end
    if (put) begin
      flow_q[put_at] <= flow_i;
      dscp_q[put_at] <= dscp_i;
      flow_parity_q[put_at] <= flow_parity;
      dscp_parity_q[put_at] <= ~^dscp_i;
      if (joins) begin
        add_at_q     <= match_at;
        add_length_q <= length_i;
      end else begin  // the new entry may reuse a popped one: data of the last join are overwritten
        length_q[tail_q]  <= length_i;
        packets_q[tail_q] <= 16'd1;
        sums_parity_q[tail_q] <= ~^{length_i, 16'd1};
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q <= '0;
      head_q <= '0;
      tail_q <= '0;
      adds_q <= 1'b0;
    end else if (clear_i) begin
      used_q <= '0;
      head_q <= '0;
      tail_q <= '0;
      adds_q <= 1'b0;
    end else begin
      adds_q <= put && joins;
      if (pop_i) begin
        used_q[head_q] <= 1'b0;
        head_q         <= head_q + 1'b1;
      end
      if (put && !joins) begin
        used_q[tail_q] <= 1'b1;
        tail_q         <= tail_q + 1'b1;
      end
    end
  end

  assign valid_o   = used_q[head_q];
  assign flow_o    = flow_q[head_q];
  assign dscp_o    = dscp_q[head_q];
  assign length_o  = at_head ? length : length_q[head_q];
  assign packets_o = at_head ? packets : packets_q[head_q];

  // ---------------------------------------------------------------------------------------------
  // Report on the head
  // ---------------------------------------------------------------------------------------------
  logic             head_wrong, wrong_q;
  logic [AddrW-1:0] reported_q;
  always_comb begin
    head_wrong = 1'b0;
    if (valid_o) begin
      head_wrong = flow_parity_q[head_q] != ~^flow_q[head_q] || dscp_parity_q[head_q] != ~^dscp_q[head_q] ||
                   sums_parity_q[head_q] != ~^{length_q[head_q], packets_q[head_q]};
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wrong_q <= 1'b0;
    else wrong_q <= head_wrong;
  end
  if (Secded != 0) begin : g_place
    always_ff @(posedge clk_i) reported_q <= head_q;
    assign error_o = wrong_q ? {24'(reported_q), 5'(Number), 2'b01} : '0;
  end else begin : g_told
    assign reported_q = '0;
    assign error_o    = wrong_q;

    logic unused;
    assign unused = &{1'b0, reported_q};
  end
endmodule
