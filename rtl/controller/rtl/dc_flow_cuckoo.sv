// Flow table for sparse flow numbers: a cuckoo hash table with a stash, in place of dc_flow_table.
// SPDX-License-Identifier: Apache-2.0
//
// Two tables have a bucket of Ways entries for every flow, and hold twice as many entries as there are slots. A
// flow's entry is in one of its two buckets or in the stash, so one read of each table finds it (cuckoo hashing:
// Pagh and Rodler 2004; buckets: Dietzfelbinger and Weidling 2007; stash: Kirsch, Mitzenmacher and Wieder 2010).
//
// Hash functions: a flow number is a polynomial over GF(2), its bucket the remainder by an irreducible polynomial
// P0, P1 (a CRC). A group of numbers that differ only in as many adjacent bits as a bucket number has (dense numbers
// above all) is spread evenly in each table; two numbers share both buckets only if they differ by a multiple of
// P0·P1. The bucket and the upper bits of a number give its lower bits, so an entry holds only the upper bits.
//
// Changes: the buckets are read in the cycle of bind_i or unbind_i and written in the next cycle; a look-up in that
// cycle sees the new contents (bypass of the RAMs). A bind takes the emptier bucket, or the stash if both are full.
// In cycles without bind or unbind an entry of the stash is tried again. If its buckets are still full, the entry is
// exchanged, in one cycle, with an entry of the table that the stash entry did not come from. So a look-up always
// finds both. After Kicks exchanges without an unbind the retries stop.
//
// A flow is promised a place (room_o) when it gets its slot, long before its bind. Its possible places are the free
// places of its two buckets and of the stash. Each earlier bind takes at most one of these, and exchanges take none.
// So a place remains if the possible places are more than the binds under way; otherwise the flow is refused.
module dc_flow_cuckoo #(
  parameter int unsigned Slots = 1024,
  parameter int unsigned FlowW = 24,
  parameter int unsigned Ways  = 4,   // entries per bucket, a power of two
  parameter int unsigned Stash = 32,  // stash entries, a power of two: one for every event in the pipeline
  parameter int unsigned Kicks = 64,
  parameter int unsigned Secded = 0,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic             clk_i,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,  // pins of the RAMs (ram_pkg.sv)
  // look-up of a flow, answered in the next cycle
  input  logic             match_i,
  input  logic [FlowW-1:0] match_flow_i,
  output logic             bound_o,
  output logic [SlotW-1:0] slot_o,
  // look-up of a slot's flow, answered in the next cycle
  input  logic             name_i,
  input  logic [SlotW-1:0] name_slot_i,
  output logic [FlowW-1:0] name_flow_o,
  // changes of the hash table: claims, binds, unbinds
  output logic             room_o,      // the flow looked up two cycles ago can be bound
  input  logic             claim_i,     // claims a later bind of the looked-up flow; binds follow in claim order
  input  logic             bind_i,      // binds an unbound flow to the slot
  input  logic             unbind_i,    // unbinds a bound flow from the slot
  input  logic [FlowW-1:0] flow_i,
  input  logic [SlotW-1:0] slot_i,
  // End of a sweep: no flow is bound or claimed.
  input  logic             sweep_i,
  input  logic             power_up_i,
  input  logic             in_range_i,
  input  logic [FlowW-1:0] index_i,
  output logic [ReportW-1:0] report_o   // report on the words used in the previous cycle (ram_guarded.sv)
);
  localparam int unsigned WayW    = $clog2(Ways);
  localparam int unsigned BucketW = SlotW - WayW;
  localparam int unsigned TagW    = FlowW - BucketW;
  localparam int unsigned EntryW  = 1 + TagW + SlotW;  // bits of a hash table entry: valid, tag, slot
  localparam int unsigned AtW     = $clog2(Stash);
  localparam int unsigned KickW   = $clog2(Kicks + 1);

  // ---------------------------------------------------------------------------------------------
  // Hash functions: a bucket bit is the parity of certain bits of the flow number
  // ---------------------------------------------------------------------------------------------
  localparam int unsigned MatrixW = BucketW * FlowW;

  // Two primitive polynomials of each degree (degree 2 has only one), without their highest bit.
  function automatic logic [BucketW-1:0] polynomial(input logic second);
    case (BucketW)
      2:       polynomial = BucketW'(second ? 16'h0005 : 16'h0007);
      3:       polynomial = BucketW'(second ? 16'h000D : 16'h000B);
      4:       polynomial = BucketW'(second ? 16'h0019 : 16'h0013);
      5:       polynomial = BucketW'(second ? 16'h002F : 16'h0025);
      6:       polynomial = BucketW'(second ? 16'h005B : 16'h0043);
      7:       polynomial = BucketW'(second ? 16'h0089 : 16'h0083);
      8:       polynomial = BucketW'(second ? 16'h012B : 16'h011D);
      9:       polynomial = BucketW'(second ? 16'h022D : 16'h021B);
      10:      polynomial = BucketW'(second ? 16'h0427 : 16'h041B);
      11:      polynomial = BucketW'(second ? 16'h082B : 16'h0817);
      default: polynomial = BucketW'(second ? 16'h107D : 16'h107B);
    endcase
  endfunction
  function automatic logic [MatrixW-1:0] matrix(input logic second);
    logic [BucketW-1:0] power;  // the power x^i modulo the hash polynomial
    power = BucketW'(1);
    for (int unsigned i = 0; i < FlowW; i++) begin
      for (int unsigned k = 0; k < BucketW; k++) matrix[k*FlowW+i] = power[k];
      power = {power[BucketW-2:0], 1'b0} ^ (power[BucketW-1] ? polynomial(second) : '0);
    end
  endfunction
  localparam logic [MatrixW-1:0] Matrix0 = matrix(1'b0);
  localparam logic [MatrixW-1:0] Matrix1 = matrix(1'b1);

  function automatic logic [BucketW-1:0] hash(input logic [FlowW-1:0] flow, input logic [MatrixW-1:0] bits);
    for (int unsigned k = 0; k < BucketW; k++) hash[k] = ^(flow & bits[k*FlowW +: FlowW]);
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Look-ups in both tables and the stash
  // ---------------------------------------------------------------------------------------------
  logic                   start;
  logic [FlowW-1:0]       start_flow;
  logic [BucketW-1:0]     start0, start1, op0_q, op1_q;  // bucket numbers in the two tables
  logic [Ways*EntryW-1:0] match0, match1, read0, read1, data0, data1;
  logic                   op, write0, write1;
  logic [3*ReportW-1:0]   reports;

  dc_cuckoo_table #(.Buckets(Slots / Ways), .Width(Ways * EntryW), .Secded(Secded), .Number(2)) u_table0 (
    .clk_i       (clk_i),
    .ram_pins_i(ram_pins_i),
    .match_i     (match_i),
    .match_at_i  (hash(match_flow_i, Matrix0)),
    .match_o     (match0),
    .read_i      (start),
    .read_at_i   (start0),
    .read_o      (read0),
    .use_i       (op),
    .write_i     (write0),
    .write_at_i  (sweep_i ? index_i[BucketW-1:0] : op0_q),
    .write_data_i(data0),
    .report_o    (reports[0 +: ReportW])
  );
  dc_cuckoo_table #(.Buckets(Slots / Ways), .Width(Ways * EntryW), .Secded(Secded), .Number(4)) u_table1 (
    .clk_i       (clk_i),
    .ram_pins_i(ram_pins_i),
    .match_i     (match_i),
    .match_at_i  (hash(match_flow_i, Matrix1)),
    .match_o     (match1),
    .read_i      (start),
    .read_at_i   (start1),
    .read_o      (read1),
    .use_i       (op),
    .write_i     (write1),
    .write_at_i  (sweep_i ? index_i[BucketW-1:0] : op1_q),
    .write_data_i(data1),
    .report_o    (reports[ReportW +: ReportW])
  );

  logic             match_q, in_stash;
  logic [FlowW-1:0] match_flow_q;
  logic [SlotW-1:0] stash_slot;
  logic [Ways-1:0]  hit0, hit1;

  always_ff @(posedge clk_i) begin
    match_q <= match_i;
    if (match_i) match_flow_q <= match_flow_i;
  end

  always_comb begin
    hit0   = '0;
    hit1   = '0;
    slot_o = stash_slot;
    for (int unsigned i = 0; i < Ways; i++) begin
      hit0[i] = match0[i*EntryW+SlotW +: 1+TagW] == {1'b1, match_flow_q[FlowW-1:BucketW]};
      hit1[i] = match1[i*EntryW+SlotW +: 1+TagW] == {1'b1, match_flow_q[FlowW-1:BucketW]};
      if (hit0[i]) slot_o |= match0[i*EntryW +: SlotW];
      if (hit1[i]) slot_o |= match1[i*EntryW +: SlotW];
    end
  end
  assign bound_o = hit0 != '0 || hit1 != '0 || in_stash;

  // ---------------------------------------------------------------------------------------------
  // First cycle of a change: choose the change and read its buckets
  // ---------------------------------------------------------------------------------------------
  logic [Stash-1:0] used;
  logic [AtW-1:0]   at_q;  // stash place that is retried next
  logic [FlowW-1:0] stash_flow;
  logic [SlotW-1:0] walk_slot;
  logic             stash_from, walk;
  logic             op_bind_q, op_unbind_q, op_walk_q, op_from_q;
  logic [FlowW-1:0] op_flow_q;
  logic [SlotW-1:0] op_slot_q;
  logic [AtW-1:0]   op_at_q;
  logic [KickW-1:0] kicks_q;
  logic [WayW-1:0]  way_q;  // way from which the next entry is evicted

  // No retry in the cycle after another retry, which may have put a new entry into this stash place.
  assign walk       = used[at_q] && !bind_i && !unbind_i && !op_walk_q && !sweep_i && kicks_q != KickW'(Kicks);
  assign start      = bind_i || unbind_i || walk;
  assign start_flow = (bind_i || unbind_i) ? flow_i : stash_flow;
  assign start0     = hash(start_flow, Matrix0);
  assign start1     = hash(start_flow, Matrix1);

  always_ff @(posedge clk_i) begin
    op_bind_q   <= bind_i && !sweep_i;
    op_unbind_q <= unbind_i && !sweep_i;
    op_walk_q   <= walk;
    if (start) begin
      op_flow_q <= start_flow;
      op_slot_q <= (bind_i || unbind_i) ? slot_i : walk_slot;
      op_from_q <= stash_from;
      op_at_q   <= at_q;
      op0_q     <= start0;
      op1_q     <= start1;
    end
    if (sweep_i) at_q <= '0;
    else if (used != '0 && (walk || !used[at_q])) at_q <= at_q + 1'b1;
  end

  // ---------------------------------------------------------------------------------------------
  // Second cycle of a change: write buckets and stash
  // ---------------------------------------------------------------------------------------------
  logic [Ways-1:0] used0, used1, mine0, mine1, free0, free1, write_ways0, write_ways1;
  logic            do_walk, place, full, placed, to1, kick, put, erased;

  // Returns the number of bits that are set.
  function automatic logic [WayW:0] count(input logic [Ways-1:0] bits);
    count = '0;
    for (int unsigned i = 0; i < Ways; i++) count = count + (WayW + 1)'(bits[i]);
  endfunction

  always_comb begin
    for (int unsigned i = 0; i < Ways; i++) begin
      used0[i] = read0[i*EntryW+SlotW+TagW];
      used1[i] = read1[i*EntryW+SlotW+TagW];
      mine0[i] = used0[i] && read0[i*EntryW +: SlotW] == op_slot_q;  // a slot belongs to one flow
      mine1[i] = used1[i] && read1[i*EntryW +: SlotW] == op_slot_q;
    end
  end
  assign free0   = ~used0 & (used0 + 1'b1);  // mask of the first free way of the bucket
  assign free1   = ~used1 & (used1 + 1'b1);

  assign do_walk = op_walk_q && used[op_at_q];  // a retried flow that was unbound meanwhile is not moved
  assign place   = op_bind_q || do_walk;
  assign full    = &used0 && &used1;
  assign to1     = count(used1) < count(used0);
  assign placed  = place && !full && !sweep_i;
  assign kick    = do_walk && full && !sweep_i;
  assign put     = op_bind_q && full && !sweep_i;
  assign op      = (place || op_unbind_q) && !sweep_i;

  logic [Ways-1:0]       kicked_way;
  logic [EntryW-1:0]     entry;
  logic [TagW+SlotW-1:0] kicked;  // entry that is evicted from the table to the stash
  logic [FlowW-1:0]      kicked_tag;
  logic [BucketW-1:0]    kicked_low;
  assign kicked_way = Ways'(1) << way_q;
  assign entry      = op_unbind_q ? '0 : {1'b1, op_flow_q[FlowW-1:BucketW], op_slot_q};

  always_comb begin
    write_ways0 = '0;
    write_ways1 = '0;
    if (placed && to1)           write_ways1 = free1;
    else if (placed)             write_ways0 = free0;
    else if (kick && op_from_q)  write_ways0 = kicked_way;
    else if (kick)               write_ways1 = kicked_way;
    else if (op_unbind_q) begin
      write_ways0 = mine0;
      write_ways1 = mine1;
    end
    for (int unsigned i = 0; i < Ways; i++) begin
      data0[i*EntryW +: EntryW] = write_ways0[i] ? entry : read0[i*EntryW +: EntryW];
      data1[i*EntryW +: EntryW] = write_ways1[i] ? entry : read1[i*EntryW +: EntryW];
    end
    if (sweep_i) begin
      data0 = '0;
      data1 = '0;
    end
  end
  assign write0 = write_ways0 != '0 || (sweep_i && in_range_i);
  assign write1 = write_ways1 != '0 || (sweep_i && in_range_i);

  // Lower flow-number bits of an evicted entry: its bucket number without the part that the upper bits contribute.
  assign kicked     = op_from_q ? read0[way_q*EntryW +: TagW+SlotW] : read1[way_q*EntryW +: TagW+SlotW];
  assign kicked_tag = {kicked[SlotW +: TagW], BucketW'(0)};
  assign kicked_low = op_from_q ? op0_q ^ hash(kicked_tag, Matrix0) : op1_q ^ hash(kicked_tag, Matrix1);

  dc_flow_stash #(.Depth(Stash), .FlowW(FlowW), .SlotW(SlotW)) u_stash (
    .clk_i       (clk_i),
    .clear_i     (sweep_i),
    .used_o      (used),
    .match_i     (match_q),
    .match_flow_i(match_flow_q),
    .match_o     (in_stash),
    .match_slot_o(stash_slot),
    .put_i       (put),
    .replace_i   (kick),
    .remove_i    (placed && op_walk_q),
    .at_i        (op_at_q),
    .flow_i      (put ? op_flow_q : {kicked[SlotW +: TagW], kicked_low}),
    .slot_i      (put ? op_slot_q : kicked[SlotW-1:0]),
    .from_i      (put || !op_from_q),
    .erase_i     (op_unbind_q),
    .erase_slot_i(op_slot_q),
    .erased_o    (erased),
    .look_at_i   (at_q),
    .look_flow_o (stash_flow),
    .look_slot_o (walk_slot),
    .look_from_o (stash_from)
  );

  always_ff @(posedge clk_i) begin
    if (sweep_i) begin
      kicks_q <= '0;
      way_q   <= '0;
    end else begin
      if (op_unbind_q || put) kicks_q <= '0;
      else if (kick) kicks_q <= kicks_q + 1'b1;
      if (kick) way_q <= way_q + 1'b1;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Room for a bind of the looked-up flow: state in the cycle of the answer, with its claim
  // ---------------------------------------------------------------------------------------------
  localparam int unsigned RoomW = $clog2(Stash + 2 * Ways + 1);

  logic [Ways-1:0]  free_match0, free_match1;
  logic [RoomW-1:0] claimed_q, claimed_d;  // number of stash entries plus binds in the pipeline
  logic             room_q;

  always_comb begin
    for (int unsigned i = 0; i < Ways; i++) begin
      free_match0[i] = !match0[i*EntryW+SlotW+TagW];
      free_match1[i] = !match1[i*EntryW+SlotW+TagW];
    end
  end
  assign claimed_d = claimed_q + RoomW'(claim_i);
  assign room_o    = room_q;
  always_ff @(posedge clk_i) begin
    if (match_q) room_q <= RoomW'(Stash) + RoomW'(count(free_match0)) + RoomW'(count(free_match1)) > claimed_d;
    if (sweep_i) claimed_q <= '0;
    else claimed_q <= claimed_d - RoomW'(placed || (op_unbind_q && erased));
  end

  // ---------------------------------------------------------------------------------------------
  // The flow that a slot has, or had last
  // ---------------------------------------------------------------------------------------------
  logic name_q;
  always_ff @(posedge clk_i) name_q <= name_i;

  ram_guarded #(.Depth(Slots), .Width(FlowW), .Secded(Secded), .Number(1)) u_flow_of (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (name_i),
    .raddr_i(name_slot_i),
    .rdata_o(name_flow_o),
    .wen_i  (bind_i || (sweep_i && power_up_i)),
    .waddr_i(sweep_i ? index_i[SlotW-1:0] : slot_i),
    .wdata_i(sweep_i ? '0 : flow_i),
    .use_i  (name_q),
    .report_o(reports[2*ReportW +: ReportW])
  );
  ram_reports #(.Count(3), .ReportW(ReportW)) u_reports (.reports_i(reports), .report_o(report_o));

  logic unused;
  assign unused = &{1'b0, index_i};
endmodule
