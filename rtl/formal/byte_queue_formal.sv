// Byte notifications joined by flow: one entry per flow, exact sums, no loss; for abc's pdr.
//
// Four entries. Any one of eight flows is watched: the sum of its notifications since its entry was last
// taken. Properties 20 and up are known to be false.
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

  // Inside (connected by run.py): which entries are the watched flow's.
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

  // Waiting sums of the watched flow.
  logic        waits_q;
  logic [31:0] length_q;
  logic [32:0] sum;
  logic [15:0] packets_q;
  logic [5:0]  dscp_q;
  logic [2:0]  inside_q;  // flows
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

  // An entry's sums, with the notification that joined it in the previous cycle.
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
      // The entry leaves with these sums.
      2: bad_o = running && taken && !(waits_q && length == length_q && packets == packets_q &&
                                         dscp == dscp_q);
      // A flow that already waits is never refused.
      3: bad_o = running && joins && flow_i == watch_q && !ready;
      // A new flow is refused only when four other flows wait.
      4: bad_o = running && !ready && inside_q - 3'(pop) != 3'd4;
      // false_: no flow is ever refused.
      20: bad_o = running && !ready;
      // false_: no notifications are ever joined.
      21: bad_o = running && put && joins;
      // false_: sums never saturate.
      22: bad_o = running && put && joins && sum[32];
      default: bad_o = 1'b1;
    endcase
  end
endmodule
