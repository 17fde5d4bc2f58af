// Packet pacer: decides which flow sends next, earliest deadline first among packets whose start time has come.
// SPDX-License-Identifier: Apache-2.0
//
// Packet k of a flow starts at S(k) at the earliest and has the deadline F(k) = S(k) + bytes · time of a byte; S(k +
// 1) = F(k), without rounding. Times count on a clock of the flow's priority, which stops while the priority is paused
// or late. A new rate counts from S(k - 1) on. Flows are stored in rows, neighbours in different rows. A tree of
// comparators finds a row's candidate packet when an operation changed the row, and once in each sweep over all rows;
// a decision takes the best candidate. While an operation is under way, its row takes no other one.
//
// A lost memory word (ram_guarded.sv) costs one flow some time at most. Each row is stored twice. A flow whose times
// are lost starts its packet now; a flow whose rate is lost gets the rate after reset. See rtl/pacer/doc/contract.md.
module dc_pacer #(
  parameter int unsigned Flows = 1024,  // number of flows, a power of two
  parameter int unsigned Width = 32,    // flows in a row, a power of two, at least 2, at most Flows / 2
  parameter int unsigned Depth = 4,     // waiting packets per flow, a power of two, at least 2
  parameter int unsigned Secded = 0,    // 1: memories correct a wrong bit of 64 (rtl/secded/ram_guarded.sv)
  localparam int unsigned FlowW   = $clog2(Flows),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1,
  localparam int unsigned BytesW = dc_pacer_pkg::BytesW
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic              init_done_o,     // low while the memories are swept (Flows cycles)

  // Configuration inputs, constant after reset.
  input  logic [dc_pacer_pkg::ScaleW-1:0] scale_i,  // cycles that a byte takes at 1/256 Mb/s: 2048 · MHz of the clock
  input  logic [23:0]       slack_i,         // cycles behind its deadline after which a packet is late

  // Input: a packet of a flow is posted.
  input  logic              post_valid_i,
  output logic              post_ready_o,
  input  logic [FlowW-1:0]  post_flow_i,
  input  logic [BytesW-1:0] post_bytes_i,    // wire bytes of the packet, at least 1
  output logic              post_refused_o,  // one cycle after the post: the flow already has Depth packets

  // Input: a flow's new rate and priority.
  input  logic              rate_valid_i,
  output logic              rate_ready_o,
  input  logic [FlowW-1:0]  rate_flow_i,
  input  logic [31:0]       rate_i,          // rate in 24.8 Mb/s; 0 counts as 1
  input  logic [2:0]        rate_priority_i, // priority of the flow; 7 is the highest priority

  // Decisions: flow and packet that the user sends next.
  input  logic [7:0]        paused_i,        // paused priorities: no decision for them from this cycle on
  input  logic              want_i,          // the user of the pacer can take a packet
  output logic              sent_valid_o,    // a decision, two cycles after want_i
  output logic [FlowW-1:0]  sent_flow_o,
  output logic [BytesW-1:0] sent_bytes_o,    // bytes of the packet; 0: the length was lost

  output logic              strict_o,        // the line is over-subscribed: strict priority order
  output logic [ReportW-1:0] report_o        // report on the words used in the previous cycle (ram_guarded.sv)
);
  localparam bit          Legal  = Flows >= 4 && Flows <= 16384 && (Flows & (Flows - 1)) == 0 &&
                                   Width >= 2 && Width <= Flows / 2 && (Width & (Width - 1)) == 0;
  // With illegal numbers the parts have legal ones, so that a tool reports the parameter and not one of its effects.
  localparam int unsigned Places = Legal ? Flows : 4;  // number of flows
  localparam int unsigned Cols   = Legal ? Width : 2;  // number of flows in a row
  localparam int unsigned Rows   = Places / Cols;
  localparam int unsigned RowW   = $clog2(Rows);
  localparam int unsigned IndexW = $clog2(Cols);
  localparam int unsigned TimeW  = dc_pacer_pkg::TimeW;
  localparam int unsigned NearW  = dc_pacer_pkg::NearW;
  localparam int unsigned FracW  = dc_pacer_pkg::FracW;
  localparam int unsigned ExactW = dc_pacer_pkg::ExactW;
  localparam int unsigned GapW   = dc_pacer_pkg::GapW;
  localparam int unsigned EntryW = 4 + 2 * NearW;
  localparam int unsigned Calm   = Rows + 8;  // cycles without a late packet that end strict order
  localparam int unsigned CalmW  = $clog2(Calm + 1);

  if (!Legal) begin : g_width
    $fatal(1, "dc_pacer: Flows and Width must be powers of two, Flows from 4 to 16384, Width from 2 to Flows / 2");
  end
  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : g_depth
    $fatal(1, "dc_pacer: Depth must be a power of two, at least 2");
  end
  if (Secded > 1) begin : g_secded
    $fatal(1, "dc_pacer: Secded must be 0 or 1");
  end

  logic [FlowW:0] sweep_q;
  logic           sweep;
  assign init_done_o = sweep_q[FlowW];
  assign sweep       = !init_done_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sweep_q <= '0;
    else if (sweep) sweep_q <= sweep_q + 1'b1;
  end

  // ---------------------------------------------------------------------------------------------
  // Clocks of the priorities
  // ---------------------------------------------------------------------------------------------
  logic [8*TimeW-1:0] clocks_q;
  logic [8*NearW-1:0] near_clocks;
  logic [7:0]         late;           // priorities that have a late packet in some row
  logic [Rows*8-1:0]  row_late_q;
  always_comb begin
    late = '0;
    for (int unsigned i = 0; i < Rows; i++) late |= row_late_q[i*8 +: 8];
  end
  for (genvar p = 0; p < 8; p++) begin : g_clock
    assign near_clocks[p*NearW +: NearW] = clocks_q[p*TimeW +: NearW];
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) clocks_q[p*TimeW +: TimeW] <= '0;
      else if (!paused_i[p] && !late[p]) clocks_q[p*TimeW +: TimeW] <= clocks_q[p*TimeW +: TimeW] + 1'b1;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Registers of inputs that wait for their row: one rate change, and wakes of flows
  // ---------------------------------------------------------------------------------------------
  logic             hold;  // a lost ring pointer is read again (dc_pacer_queues.sv)
  logic             rate_ready, rate_waits, wake_waits, post, wake, take_rate, take_wake;
  logic [FlowW-1:0] rate_flow, wake_flow, woken_flow;
  logic [GapW-1:0]  rate_gap;
  logic [2:0]       rate_priority;

  dc_pacer_rate #(.FlowW(FlowW)) u_rate (
    .clk_i, .rst_ni, .scale_i,
    .valid_i(rate_valid_i && init_done_o), .ready_o(rate_ready), .flow_i(rate_flow_i), .rate_i(rate_i),
    .priority_i(rate_priority_i),
    .valid_o(rate_waits), .taken_i(take_rate), .flow_o(rate_flow), .gap_o(rate_gap), .priority_o(rate_priority));
  assign rate_ready_o = rate_ready && init_done_o;

  // A post takes two cycles, so the FIFO of wakes keeps room for the wake of the post under way.
  logic [2:0]         wakes_q;                 // number of wakes in the FIFO
  logic [4*FlowW-1:0] wake_flows_q;
  assign post_ready_o = init_done_o && wakes_q <= 3'd2 && !hold;
  assign post         = post_valid_i && post_ready_o;
  assign wake_waits   = wakes_q != '0;
  assign wake_flow    = wake_flows_q[FlowW-1:0];
  logic [4*FlowW-1:0] wake_flows_d;
  logic [2:0]         wakes_left;
  always_comb begin
    wakes_left   = wakes_q - 3'(take_wake);
    wake_flows_d = take_wake ? wake_flows_q >> FlowW : wake_flows_q;
    if (wake) wake_flows_d[wakes_left[1:0]*FlowW +: FlowW] = woken_flow;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wakes_q <= '0;
    else wakes_q <= wakes_left + 3'(wake);
  end
  always_ff @(posedge clk_i) wake_flows_q <= wake_flows_d;

  // ---------------------------------------------------------------------------------------------
  // Step 0: choose an operation. Order: rate, then wake or decision in turn; wakes that heal a lost row precede
  // decisions.
  // ---------------------------------------------------------------------------------------------
  localparam int unsigned KeyW = 1 + 3 + NearW;
  logic [Rows-1:0]        busy_q, valid_q, overdue;
  logic [Rows*IndexW-1:0] index_q;
  logic [Rows*EntryW-1:0] entry_q;
  logic [Rows*KeyW-1:0]   keys;
  logic [KeyW-1:0]        least;
  logic [RowW-1:0]        best;

  always_comb begin
    keys    = '1;
    overdue = '0;
    for (int unsigned i = 0; i < Rows; i++) begin
      logic [2:0]       level;
      logic [NearW-1:0] clock, to_start, to_deadline;
      level       = entry_q[i*EntryW+2*NearW +: 3];
      clock       = near_clocks[level*NearW +: NearW];
      to_start    = entry_q[i*EntryW+NearW +: NearW] - clock;
      to_deadline = entry_q[i*EntryW +: NearW] - clock;
      if (valid_q[i] && !paused_i[level] && (to_start == '0 || to_start[NearW-1])) begin
        overdue[i] = to_deadline[NearW-1];
        if (!busy_q[i]) begin
          keys[i*KeyW +: KeyW] = {1'b0, strict_o ? ~level : 3'd0, !to_deadline[NearW-1], to_deadline[NearW-2:0]};
        end
      end
    end
  end
  dc_least #(.Count(Rows), .KeyW(KeyW)) u_best (.use_i(want_i), .keys_i(keys), .key_o(least), .index_o(best));

  logic             issue;
  logic [1:0]       op;
  logic [FlowW-1:0] flow;
  logic             may_decide, take_decision, take_heal;
  logic             heal_q;                // the row heal_row_q was lost, so every flow of it gets a wake
  logic [RowW-1:0]  heal_row_q;
  logic [IndexW-1:0] heal_at_q;
  logic             woke_q;  // a wake followed the last decision, so a decision has priority
  assign take_rate     = !hold && rate_waits && !busy_q[rate_flow[RowW-1:0]];
  assign may_decide    = !hold && want_i && init_done_o && !least[KeyW-1];
  assign take_wake     = !hold && !take_rate && wake_waits && !busy_q[wake_flow[RowW-1:0]] && !(may_decide && woke_q);
  assign take_heal     = !hold && !take_rate && !take_wake && heal_q && !busy_q[heal_row_q];
  assign take_decision = !take_rate && !take_wake && !take_heal && may_decide;
  assign issue         = take_rate || take_wake || take_heal || take_decision;
  assign op            = take_rate ? dc_pacer_pkg::OpRate :
                         take_wake || take_heal ? dc_pacer_pkg::OpWake : dc_pacer_pkg::OpSent;
  assign flow          = take_rate ? rate_flow : take_wake ? wake_flow :
                         take_heal ? {heal_at_q, heal_row_q} : {index_q[best*IndexW +: IndexW], best};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) woke_q <= 1'b0;
    else if (take_wake || take_decision) woke_q <= take_wake;
  end

  // Strict order holds from the first late packet until no packet has been late for Calm cycles.
  logic [CalmW-1:0] calm_q;
  logic             strict_q;
  assign strict_o = strict_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      strict_q <= 1'b0;
      calm_q   <= '0;
    end else begin
      if (late != '0) strict_q <= 1'b1;
      else if (calm_q >= CalmW'(Calm)) strict_q <= 1'b0;
      calm_q <= overdue != '0 ? '0 : calm_q + CalmW'(calm_q < CalmW'(Calm));
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Steps 1 to 3: lengths, product, times
  // ---------------------------------------------------------------------------------------------
  logic              run1_q, run2_q, run3_q;
  logic              again, step;             // again: step 1 is repeated in the next cycle; step: step 1 is done
  logic              row_lost, times_lost, gap_lost, row_lost2_q, lost2_q, lost3_q, pop;
  logic [GapW-1:0]   gap_word, gap_first;
  logic [2:0]        level_word;
  logic [ReportW-1:0] report_row, report_scan, report_times, report_gap, report_queues, report;
  logic [1:0]        op1_q, op2_q, op3_q;
  logic [FlowW-1:0]  flow1_q, flow2_q, flow3_q;
  logic [GapW-1:0]   gap1_q, gap2_q, gap_old;
  logic [2:0]        level1_q, level2_q, level3_q, level_old;
  logic              moved2_q, moved3_q, any, any2_q, any3_q;
  logic [BytesW-1:0] first, first2_q, first3_q, bytes, bytes2, bytes3_q;
  logic [BytesW-1:0] behind, behind2_q, behind3_q;  // bytes whose time is already included in S or in the end
  logic [ExactW-1:0] exact, exact2_q, exact3_q;
  logic [FracW-1:0]  part, part2_q, part3_q;        // fractional part of the start time S
  logic [GapW+BytesW-1:0] product3_q;
  logic signed [GapW:0]          step2_q;   // new minus old time of a byte, after a rate change
  logic signed [GapW+BytesW:0]   shift3_q;  // shift of S, if the new rate counts for `behind`
  logic [Cols*EntryW-1:0]  row, row2_q, row3_q, row_new, row4_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run1_q <= 1'b0;
      run2_q <= 1'b0;
      run3_q <= 1'b0;
    end else begin
      run1_q <= issue || again;
      run2_q <= step;
      run3_q <= run2_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (issue) begin
      op1_q    <= op;
      flow1_q  <= flow;
      gap1_q   <= rate_gap;
      level1_q <= rate_priority;
    end
    if (step) begin
      // A decision whose packet times are lost is cancelled and becomes a wake.
      op2_q    <= times_lost && op1_q == dc_pacer_pkg::OpSent ? dc_pacer_pkg::OpWake : op1_q;
      flow2_q  <= flow1_q;
      gap2_q   <= op1_q == dc_pacer_pkg::OpRate ? gap1_q : gap_old;
      level2_q <= op1_q == dc_pacer_pkg::OpRate ? level1_q : level_old;
      moved2_q <= op1_q == dc_pacer_pkg::OpRate && level1_q != level_old;
      lost2_q  <= times_lost || gap_lost;
      row_lost2_q <= row_lost;
      any2_q   <= any;
      first2_q  <= times_lost ? '0 : first;
      behind2_q <= behind;
      part2_q   <= part;
      step2_q   <= $signed({1'b0, gap1_q}) - $signed({1'b0, gap_old});
      exact2_q  <= exact;
      row2_q   <= row;
    end
    if (run2_q) begin
      op3_q      <= op2_q;
      flow3_q    <= flow2_q;
      level3_q   <= level2_q;
      moved3_q   <= moved2_q;
      any3_q     <= any2_q;
      bytes3_q   <= bytes2;
      first3_q   <= first2_q;
      behind3_q  <= behind2_q;
      part3_q    <= part2_q;
      shift3_q   <= (GapW + BytesW + 1)'(step2_q * $signed({1'b0, behind2_q}));
      exact3_q   <= exact2_q;
      row3_q     <= !row_lost2_q ? row2_q : report_scan[0] ? '0 : scan_row;
      lost3_q    <= lost2_q;
      product3_q <= gap2_q * bytes2;
    end
  end
  // Length of the first remaining packet, or else of the flow's last packet.
  assign bytes2 = any2_q ? bytes : first2_q;
  assign step       = run1_q && !again;
  assign row_lost   = report_row[0];
  assign times_lost = report_times[0];
  assign gap_lost   = report_gap[0];
  assign {level_old, gap_old} = gap_lost ? {3'd0, gap_first} : {level_word, gap_word};
  assign gap_first  = {scale_i, {FracW{1'b0}}};
  assign pop        = op1_q == dc_pacer_pkg::OpSent && !times_lost;

  dc_pacer_queues #(.Flows(Places), .Depth(Depth), .Secded(Secded)) u_queues (
    .clk_i, .rst_ni,
    .sweep_i(sweep), .sweep_flow_i(sweep_q[FlowW-1:0]),
    .post_i(post), .post_flow_i, .post_bytes_i, .refused_o(post_refused_o),
    .wake_o(wake), .wake_flow_o(woken_flow), .hold_o(hold),
    .read_i(issue), .read_flow_i(flow), .step_i(run1_q), .step_flow_i(flow1_q), .again_o(again),
    .pop_i(pop), .any_o(any), .bytes_o(bytes), .report_o(report_queues));

  // The length of the decided packet leaves with the decision.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sent_valid_o <= 1'b0;
    else sent_valid_o <= step && pop;
  end
  always_ff @(posedge clk_i) begin
    sent_flow_o  <= flow1_q;
    sent_bytes_o <= first;
  end

  // Times. A new rate counts from S of the previous packet; a flow with a new priority counts on its clock.
  logic [IndexW-1:0] at3;
  logic [EntryW-1:0] old3;
  logic [TimeW-1:0]  now3, old_start;
  logic [NearW-1:0]  ahead;
  logic              waits3, waits_new, idle, reached, past;
  logic [ExactW-1:0] product, present, planned, shifted, start, deadline, exact_new;
  logic [BytesW-1:0] behind_new;
  assign at3       = flow3_q[FlowW-1:RowW];
  assign old3      = row3_q[at3*EntryW +: EntryW];
  assign waits3    = old3[EntryW-1];
  assign now3      = clocks_q[level3_q*TimeW +: TimeW];
  assign ahead     = old3[NearW +: NearW] - now3[NearW-1:0];
  assign old_start = now3 + {{(TimeW-NearW){ahead[NearW-1]}}, ahead};
  assign product   = ExactW'(product3_q);
  assign present   = {now3, {FracW{1'b0}}};
  assign idle      = exact3_q[ExactW-1:FracW] < now3;
  assign planned   = waits3 ? {old_start, part3_q} : exact3_q;
  assign shifted   = planned + ExactW'(shift3_q);
  assign reached   = planned[ExactW-1:FracW] <= now3;
  assign past      = shifted[ExactW-1:FracW] < now3;
  always_comb begin
    unique case (op3_q)
      dc_pacer_pkg::OpRate: begin
        start      = moved3_q ? present + product : lost3_q ? present : reached ? planned : past ? present : shifted;
        behind_new = moved3_q ? bytes3_q : lost3_q || reached || past ? '0 : behind3_q;
        waits_new  = waits3;
      end
      dc_pacer_pkg::OpWake: begin
        start      = idle || lost3_q ? present : exact3_q;
        behind_new = idle || lost3_q ? '0 : behind3_q;
        waits_new  = any3_q;
      end
      default: begin
        start      = lost3_q ? present : exact3_q;
        behind_new = first3_q;
        waits_new  = any3_q;
      end
    endcase
  end
  assign deadline  = start + product;
  assign exact_new = waits_new ? deadline : start;

  logic change3;  // a wake of a flow with a waiting packet changes the row only if the flow's times or rate are lost
  assign change3 = run3_q && !(op3_q == dc_pacer_pkg::OpWake && waits3 && !lost3_q);
  always_comb begin
    row_new = row3_q;
    if (change3) begin
      row_new[at3*EntryW +: EntryW] = {waits_new, level3_q, start[FracW +: NearW], deadline[FracW +: NearW]};
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Memories
  // ---------------------------------------------------------------------------------------------
  logic [RowW-1:0]         sweep_row, scan_q;
  logic [Cols*EntryW-1:0]  scan_row;
  assign sweep_row = sweep_q[RowW-1:0];

  // An operation whose row is lost reads the copy for the sweep instead, and the sweep waits for a cycle.
  logic steal, heal_new, scan_lost;
  assign steal = run1_q && row_lost;

  ram_guarded #(.Depth(Rows), .Width(Cols * EntryW), .Secded(Secded), .Number(5), .Early(1)) u_rows (
    .clk_i,
    .ram_pins_i('0), .ren_i(issue), .raddr_i(flow[RowW-1:0]), .rdata_o(row),
    .wen_i(sweep || run3_q), .waddr_i(sweep ? sweep_row : flow3_q[RowW-1:0]),
    .wdata_i(sweep ? '0 : row_new), .use_i(run1_q), .report_o(report_row));
  ram_guarded #(.Depth(Rows), .Width(Cols * EntryW), .Secded(Secded), .Number(6), .Early(1)) u_rows_scan (
    .clk_i,
    .ram_pins_i('0), .ren_i(init_done_o), .raddr_i(steal ? flow1_q[RowW-1:0] : scan_q), .rdata_o(scan_row),
    .wen_i(sweep || run3_q), .waddr_i(sweep ? sweep_row : flow3_q[RowW-1:0]),
    .wdata_i(sweep ? '0 : row_new), .use_i(scan4_q || (run2_q && row_lost2_q)), .report_o(report_scan));
  ram_guarded #(
    .Depth(Places), .Width(ExactW + 2 * BytesW + FracW), .Secded(Secded), .Number(7), .Early(1)
  ) u_exact (
    .clk_i,
    .ram_pins_i('0), .ren_i(issue), .raddr_i(flow), .rdata_o({exact, first, behind, part}),
    .wen_i(sweep || change3), .waddr_i(sweep ? sweep_q[FlowW-1:0] : flow3_q),
    .wdata_i(sweep ? '0 : {exact_new, bytes3_q, behind_new, start[FracW-1:0]}),
    .use_i(run1_q), .report_o(report_times));
  ram_guarded #(.Depth(Places), .Width(3 + GapW), .Secded(Secded), .Number(8), .Early(1)) u_gaps (
    .clk_i,
    .ram_pins_i('0), .ren_i(issue), .raddr_i(flow), .rdata_o({level_word, gap_word}),
    .wen_i(sweep || (step && (op1_q == dc_pacer_pkg::OpRate || gap_lost))),
    .waddr_i(sweep ? sweep_q[FlowW-1:0] : flow1_q),
    .wdata_i(!sweep && op1_q == dc_pacer_pkg::OpRate ? {level1_q, gap1_q} : {3'd0, scale_i, {FracW{1'b0}}}),
    .use_i(run1_q), .report_o(report_gap));
  ram_reports #(.Count(5), .ReportW(ReportW)) u_reports (
    .reports_i({report_row, report_scan, report_times, report_gap, report_queues}), .report_o(report));
  always_ff @(posedge clk_i) report_o <= report;

  // If one copy of a row is lost, the next wake of each of its flows rewrites the row. If both copies are lost, the
  // row's waiting packets are forgotten: a flow of the row sends again after its next wake.
  assign scan_lost = scan4_q && report_scan[0];
  assign heal_new  = run2_q && row_lost2_q && report_scan[0];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) heal_q <= 1'b0;
    else if (heal_new || scan_lost) heal_q <= 1'b1;
    else if (take_heal && (&heal_at_q)) heal_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (heal_new || (scan_lost && !heal_q)) begin
      heal_row_q <= heal_new ? flow2_q[RowW-1:0] : scan4_at_q;
      heal_at_q  <= '0;
    end else if (take_heal) begin
      heal_at_q <= heal_at_q + 1'b1;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Step 4: the candidate of the changed row. In parallel, a sweep over all rows finds their candidates.
  // ---------------------------------------------------------------------------------------------
  logic              run4_q, scan4_q, valid4, valid_scan;
  logic [RowW-1:0]   row4_at_q, scan4_at_q;
  logic [IndexW-1:0] index4, index_scan;
  logic [EntryW-1:0] entry4, entry_scan;
  logic [7:0]        late4, late_scan;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run4_q  <= 1'b0;
      scan4_q <= 1'b0;
      scan_q  <= '0;
    end else begin
      run4_q  <= run3_q;
      scan4_q <= init_done_o && !steal;
      scan_q  <= scan_q + RowW'(init_done_o && !steal);
    end
  end
  always_ff @(posedge clk_i) begin
    if (run3_q) begin
      row4_q    <= row_new;
      row4_at_q <= flow3_q[RowW-1:0];
    end
    scan4_at_q <= scan_q;
  end
  dc_pacer_row #(.Width(Cols)) u_row (
    .use_i(run4_q), .row_i(row4_q), .clocks_i(near_clocks), .paused_i, .strict_i(strict_o),
    .slack_i(NearW'(slack_i)), .valid_o(valid4), .index_o(index4), .entry_o(entry4), .late_o(late4));
  dc_pacer_row #(.Width(Cols)) u_scan (
    .use_i(scan4_q), .row_i(scan_row), .clocks_i(near_clocks), .paused_i, .strict_i(strict_o),
    .slack_i(NearW'(slack_i)), .valid_o(valid_scan), .index_o(index_scan), .entry_o(entry_scan), .late_o(late_scan));

  // The sweep may read old contents of a row that is under operation. This old candidate is not used: the row is busy
  // until the operation's own candidate arrives, in the same cycle (and wins) or later.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q     <= '0;
      valid_q    <= '0;
      row_late_q <= '0;
    end else begin
      if (scan4_q && !scan_lost) begin
        valid_q[scan4_at_q]          <= valid_scan;
        row_late_q[scan4_at_q*8 +: 8] <= late_scan;
      end
      if (run4_q) begin
        busy_q[row4_at_q]            <= 1'b0;
        valid_q[row4_at_q]           <= valid4;
        row_late_q[row4_at_q*8 +: 8] <= late4;
      end
      if (issue) busy_q[flow[RowW-1:0]] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (scan4_q && !scan_lost) begin
      index_q[scan4_at_q*IndexW +: IndexW] <= index_scan;
      entry_q[scan4_at_q*EntryW +: EntryW] <= entry_scan;
    end
    if (run4_q) begin
      index_q[row4_at_q*IndexW +: IndexW] <= index4;
      entry_q[row4_at_q*EntryW +: EntryW] <= entry4;
    end
  end
endmodule
