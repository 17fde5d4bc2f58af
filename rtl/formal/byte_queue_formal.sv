// Properties of the byte queue for abc's pdr: notifications joined by flow, one entry per flow, exact sums, no loss.
//
// Four entries. Any one of eight flows is watched: the sum of its notifications since its entry was last taken.
// Properties from number 20 on are known to be false.
module byte_queue_formal #(
  parameter int unsigned Property = 0
) (
  input  logic        clk_i,
  input  logic        clear_i,
  input  logic        valid_i,
  input  logic [2:0]  flow_i,
  input  logic [5:0]  dscp_i,
  input  logic [31:0] length_i,
  input  logic        pop_i,
  input  logic [2:0]  watch_i,
  output logic        bad_o
);
  logic running;
  from_reset u_start (.clk_i(clk_i), .running_o(running));
  logic [2:0] watch_q;
  always_ff @(posedge clk_i) if (!running) watch_q <= watch_i;

  logic        ready, valid, pop, put, taken;
  logic [2:0]  flow;
  logic [5:0]  dscp;
  logic [31:0] length;
  logic [15:0] packets;
  assign pop   = pop_i && valid;
  assign put   = valid_i && ready && !clear_i && flow_i == watch_q;
  assign taken = pop && flow == watch_q;

  dc_byte_queue #(.Depth(4), .FlowW(3)) u_queue (
    .clk_i    (clk_i),
    .clk_entries_i(clk_i),
    .rst_ni   (running),
    .clear_i  (clear_i),
    .valid_i  (valid_i),
    .ready_o  (ready),
    .flow_i   (flow_i),
    .dscp_i   (dscp_i),
    .length_i (length_i),
    .valid_o  (valid),
    .flow_o   (flow),
    .dscp_o   (dscp),
    .length_o (length),
    .packets_o(packets),
    .pop_i    (pop)
  );

  // Internal signals that run.py connects: which queue entries belong to the watched flow.
  logic         probe_joins, probe_adds, is_new;
  logic [1:0]   probe_add_at;
  logic [31:0]  probe_add_length;
  logic [3:0]   probe_used;
  logic [2:0]   probe_flow_0, probe_flow_1, probe_flow_2, probe_flow_3;
  logic [31:0]  probe_length_0, probe_length_1, probe_length_2, probe_length_3;
  logic [15:0]  probe_packets_0, probe_packets_1, probe_packets_2, probe_packets_3;
  logic [2:0]   mine;
  logic [3:0]   is_mine;
  assign is_new = !probe_joins;

  // Sums of the watched flow's notifications that wait in the queue.
  logic        waits_q;
  logic [31:0] length_q;
  logic [32:0] sum;
  logic [15:0] packets_q;
  logic [5:0]  dscp_q;
  logic [2:0]  inside_q;  // number of flows with an entry in the queue
  logic        joins;
  assign sum   = {1'b0, length_q} + {1'b0, length_i};
  assign joins = waits_q && !taken;
  always_ff @(posedge clk_i or negedge running) begin
    if (!running) begin
      waits_q  <= 1'b0;
      inside_q <= '0;
    end else if (clear_i) begin
      waits_q  <= 1'b0;
      inside_q <= '0;
    end else begin
      waits_q  <= put || joins;
      inside_q <= inside_q - 3'(pop) + 3'(valid_i && ready && is_new);
    end
  end
  always_ff @(posedge clk_i) begin
    if (put) begin
      length_q  <= !joins ? length_i : sum[32] ? '1 : sum[31:0];
      packets_q <= !joins ? 16'd1 : (packets_q == '1) ? packets_q : packets_q + 1'b1;
      dscp_q    <= dscp_i;
    end
  end

  assign is_mine = probe_used & {probe_flow_3 == watch_q, probe_flow_2 == watch_q,
                                 probe_flow_1 == watch_q, probe_flow_0 == watch_q};
  assign mine = 3'(is_mine[0]) + 3'(is_mine[1]) + 3'(is_mine[2]) + 3'(is_mine[3]);

  // Sums of an entry, including the notification that joined the entry in the previous cycle.
  logic         added;
  logic [31:0]  entry_length;
  logic [32:0]  entry_sum;
  logic [15:0]  entry_packets;
  logic exact;
  always_comb begin
    added = probe_adds && is_mine[probe_add_at];
    unique case (1'b1)
      is_mine[0]: {entry_length, entry_packets} = {probe_length_0, probe_packets_0};
      is_mine[1]: {entry_length, entry_packets} = {probe_length_1, probe_packets_1};
      is_mine[2]: {entry_length, entry_packets} = {probe_length_2, probe_packets_2};
      default:    {entry_length, entry_packets} = {probe_length_3, probe_packets_3};
    endcase
    entry_sum = {1'b0, entry_length} + {1'b0, probe_add_length};
    if (added) entry_length = entry_sum[32] ? '1 : entry_sum[31:0];
    if (added && entry_packets != '1) entry_packets = entry_packets + 1'b1;
    exact = is_mine == '0 || (entry_length == length_q && entry_packets == packets_q);
  end

  always_comb begin
    unique case (Property)
      // A flow has at most one entry, and has one as long as a notification of the flow waits.
      0: bad_o = running && mine != 3'(waits_q);
      // The entry's sums equal the sums of the notifications.
      1: bad_o = running && (mine != 3'(waits_q) || !exact);
      // The watched flow's entry leaves the queue with the sums of its notifications.
      2: bad_o = running && taken && !(waits_q && length == length_q && packets == packets_q &&
                                         dscp == dscp_q);
      // The queue never refuses a notification of a flow that already waits.
      3: bad_o = running && joins && flow_i == watch_q && !ready;
      // The queue refuses a new flow only when four other flows wait.
      4: bad_o = running && !ready && inside_q - 3'(pop) != 3'd4;
      // false_: the queue never refuses a flow.
      20: bad_o = running && !ready;
      // false_: no two notifications are ever joined.
      21: bad_o = running && put && joins;
      // false_: sums of joined notifications never saturate.
      22: bad_o = running && put && joins && sum[32];
      default: bad_o = 1'b1;
    endcase
  end
endmodule
