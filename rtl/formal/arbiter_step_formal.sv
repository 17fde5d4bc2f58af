// Issue: nobody starves, and the order within a flow, at the shipped distance; an induction, for abc's pdr or bmc3.
//
// Any state may be the first. The invariant says what the ring of places has to do with the events that one flow
// issued, and how long a head of the flow can have waited: it holds after a reset, and in a cycle after one in which
// it holds; where it holds, the rules of the contract are kept. The parts of a step are properties of their own.
// Flow 0 is watched; no flow is special. Property 20 and up are false.
//
// A head's wait counts edges without a hold that issue no event of another flow. It begins anew with each event of the
// flow that goes before the head and is no joined CNP, and with a round of the flow that is held.
module arbiter_step_formal #(
  parameter int unsigned Property = 0
) (
  input  logic       clk_i,
  input  logic       clear_i,
  input  logic       forget_i,
  input  logic       hold_i,
  input  logic [3:0] valid_i,
  input  logic [5:0] cnp_flow_i,
  input  logic [7:0] cnp_marks_i,
  input  logic [5:0] timer_flow_i,
  input  logic [5:0] command_flow_i,
  input  logic [5:0] bytes_flow_i,
  output logic       bad_o
);
  localparam int unsigned D = dcc_controller_pkg::Distance;

  // State of the arbiter (connected by run.py).
  (* keep *) logic [4:0]  probe_at;
  (* keep *) logic [31:0] probe_busy, probe_after, probe_joined;
  (* keep *) logic [2:0]  probe_waited;  // timer, command, bytes
  (* keep *) logic        probe_turn, probe_round;
  (* keep *) logic [5:0]
    probe_flow_0, probe_flow_1, probe_flow_2, probe_flow_3, probe_flow_4, probe_flow_5, probe_flow_6, probe_flow_7,
    probe_flow_8, probe_flow_9, probe_flow_10, probe_flow_11, probe_flow_12, probe_flow_13, probe_flow_14,
    probe_flow_15, probe_flow_16, probe_flow_17, probe_flow_18, probe_flow_19, probe_flow_20, probe_flow_21,
    probe_flow_22, probe_flow_23, probe_flow_24, probe_flow_25, probe_flow_26, probe_flow_27, probe_flow_28,
    probe_flow_29, probe_flow_30, probe_flow_31;

  logic begun_q, second_q, held_q, reset_n;
  initial begun_q = 1'b0;
  assign reset_n = Property != 3 || begun_q;  // resets are for the property that is about them

  logic [3:0] issue;
  logic [1:0] kind;
  logic [5:0] flow, unused_dscp;
  logic [7:0] unused_marks, unused_packets, unused_count;
  logic       take, unused_joined, unused_quiet;

  dc_arbiter #(.FlowW(6)) u_arbiter (
    .clk_i         (clk_i),
    .clk_free_i    (clk_i),
    .rst_ni        (reset_n),
    .clear_i       (clear_i),
    .forget_i      (forget_i),
    .hold_i        (hold_i),
    .valid_i       (valid_i),
    .cnp_flow_i    (cnp_flow_i),
    .cnp_dscp_i    ('0),
    .cnp_marks_i   (cnp_marks_i),
    .cnp_packets_i ('0),
    .timer_flow_i  (timer_flow_i),
    .command_flow_i(command_flow_i),
    .bytes_flow_i  (bytes_flow_i),
    .cnp_take_o    (take),
    .issue_o       (issue),
    .kind_o        (kind),
    .flow_o        (flow),
    .cnp_dscp_o    (unused_dscp),
    .cnp_marks_o   (unused_marks),
    .cnp_packets_o (unused_packets),
    .cnp_count_o   (unused_count),
    .joined_o      (unused_joined),
    .quiet_o       (unused_quiet)
  );

  // ---------------------------------------------------------------------------------------------
  // What the watched flow did; no reset: any
  // ---------------------------------------------------------------------------------------------
  logic [5:0] age_q;         // edges since its latest event, at most D
  logic       last_q;        // that event was a CNP
  logic       waits_q;       // joined CNPs wait
  logic [3:1] found_q;       // by kind: the head was there at an earlier edge without a hold, and the flow busy
  logic [2:0] commands_q;    // number of commands issued while the byte notification at the head is there
  logic [6:0] late_q [4];    // by kind: wait of the head

  logic [3:1] heads;
  logic       mine, own, joined_out, busy, held_round;
  assign heads      = {valid_i[3] && bytes_flow_i == '0, valid_i[2] && command_flow_i == '0,
                       valid_i[1] && timer_flow_i == '0};
  assign mine       = issue != '0 && flow == '0;
  assign joined_out = mine && issue[0] && waits_q;
  assign own        = mine && !joined_out;
  assign busy       = age_q < 6'(D) || waits_q;

  always_ff @(posedge clk_i) begin
    age_q   <= mine ? 6'd1 : age_q == 6'(D) ? 6'(D) : age_q + 6'd1;
    last_q  <= mine ? issue[0] : last_q;
    waits_q <= !clear_i && ((waits_q && !joined_out) || (take && cnp_flow_i == '0 && !(mine && issue[0])));
    for (int unsigned k = 1; k < 4; k++) begin
      found_q[k] <= heads[k] && !issue[k] && !clear_i && !forget_i && (found_q[k] || (!hold_i && busy));
      if (!heads[k] || issue[k] || own || held_round || clear_i || forget_i) late_q[k] <= '0;
      else if (!hold_i && (issue == '0 || mine)) late_q[k] <= late_q[k] + 7'd1;
    end
    commands_q <= (!heads[3] || issue[3] || clear_i || forget_i) ? '0 : commands_q + 3'(issue[2] && commands_q != '1);
    if (!reset_n) begin
      age_q      <= 6'(D);
      waits_q    <= 1'b0;
      found_q    <= '0;
      commands_q <= '0;
      for (int unsigned k = 0; k < 4; k++) late_q[k] <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The invariant
  // ---------------------------------------------------------------------------------------------
  // (A name of its own would be what yosys connects the probes to, in vain.)
`define FLOWS {probe_flow_31, probe_flow_30, probe_flow_29, probe_flow_28, probe_flow_27, probe_flow_26, \
  probe_flow_25, probe_flow_24, probe_flow_23, probe_flow_22, probe_flow_21, probe_flow_20, probe_flow_19, \
  probe_flow_18, probe_flow_17, probe_flow_16, probe_flow_15, probe_flow_14, probe_flow_13, probe_flow_12, \
  probe_flow_11, probe_flow_10, probe_flow_9, probe_flow_8, probe_flow_7, probe_flow_6, probe_flow_5, probe_flow_4, \
  probe_flow_3, probe_flow_2, probe_flow_1, probe_flow_0}
  function automatic logic [31:0] places_of(input logic [191:0] flows, input logic [5:0] of);
    for (int unsigned p = 0; p < 32; p++) places_of[p] = flows[6*p +: 6] == of;
  endfunction
  function automatic logic [4:0] index(input logic [31:0] one);
    index = '0;
    for (int unsigned p = 0; p < 32; p++) if (one[p]) index = index | 5'(p);
  endfunction

  logic [31:0] busy_at, joined_at, now, latest, at_cnp;  // places
  logic [4:0]  until_round;
  assign busy_at     = probe_busy & places_of(`FLOWS, 6'd0);
  assign joined_at   = probe_joined & places_of(`FLOWS, 6'd0);
  assign now         = 32'd1 << probe_at;
  assign latest      = 32'd1 << 5'(probe_at - age_q[4:0]);
  assign until_round = index(joined_at) - probe_at;
  assign at_cnp      = (probe_busy | probe_joined) & places_of(`FLOWS, cnp_flow_i);
  assign held_round  = hold_i && (joined_at & now) != '0;

  logic [3:0] ok;
  logic       good;
  assign good = ok == '1;
  always_comb begin
    ok = '1;
    // The latest event of the flow has the place that was taken age_q edges ago; no other place is the flow's.
    if (age_q == '0 || age_q > 6'(D)) ok[0] = 1'b0;
    if (age_q < 6'(D) && (busy_at & ~now) != latest) ok[0] = 1'b0;
    if (age_q == 6'(D) && (busy_at & ~now) != '0) ok[0] = 1'b0;
    if ((busy_at & now) != '0 && age_q != 6'(D)) ok[0] = 1'b0;
    if (busy_at != '0 && ((probe_after & busy_at) != '0) != last_q) ok[0] = 1'b0;
    // Joined CNPs wait in that place, and in no other.
    if (waits_q != (joined_at != '0)) ok[1] = 1'b0;
    if ((joined_at & (joined_at - 32'd1)) != '0) ok[1] = 1'b0;
    if (age_q < 6'(D) && (joined_at & ~latest) != '0) ok[1] = 1'b0;
    if ((busy_at & now) != '0 && (joined_at & ~now) != '0) ok[1] = 1'b0;
    if (joined_at != '0 && ((probe_after & joined_at) != '0) != last_q) ok[1] = 1'b0;
    // Who waited is known.
    for (int unsigned k = 1; k < 4; k++) begin
      if (found_q[k] && !probe_waited[k-1]) ok[2] = 1'b0;
      if (late_q[k] != '0 && !probe_waited[k-1]) ok[2] = 1'b0;
    end
    if (commands_q != '0 && !probe_turn) ok[2] = 1'b0;
    // Waits: at most up to the first round after the latest event, or, if that event was of joined CNPs, for D edges
    // more.
    for (int unsigned k = 1; k < 4; k++) begin
      if (late_q[k] > 7'(2 * D - 1)) ok[3] = 1'b0;
      if (age_q < 6'(D) && last_q && late_q[k] > 7'(D - 1) + 7'(age_q)) ok[3] = 1'b0;
      if (age_q < 6'(D) && !last_q && late_q[k] > 7'(age_q) - 7'd1) ok[3] = 1'b0;
      if (age_q == 6'(D) && waits_q && until_round != '0 && late_q[k] > 7'(D - 1) - 7'(until_round)) ok[3] = 1'b0;
      if (age_q == 6'(D) && !last_q && late_q[k] > 7'(D - 1)) ok[3] = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    begun_q  <= 1'b1;
    second_q <= !begun_q;
    // The flow of the CNP has one place at most: property 10, since it holds for every flow.
    held_q   <= good && (at_cnp & (at_cnp - 32'd1)) == '0;
  end
  logic first, after;
  assign first = !begun_q && good;
  assign after = begun_q && second_q && held_q;

  // An edge that is a CNP's by right, though another kind of its flow goes before it.
  logic cnps_edge;
  assign cnps_edge = probe_round || (valid_i[0] && cnp_flow_i == flow);

  logic passed, unordered, starved;
  always_comb begin
    starved = 1'b0;
    for (int unsigned k = 1; k < 4; k++) if (heads[k] && late_q[k] >= 7'(2 * D - 1)) starved = 1'b1;
    // A head that found its flow busy: no CNP goes before it that did not join, and no event of lower order; but of
    // command and bytes, bytes after a command.
    passed = 1'b0;
    for (int unsigned k = 1; k < 4; k++) begin
      if (own && heads[k] && found_q[k] && !issue[k]) begin
        if (issue[0] || k == 1 || (k == 2 && issue[3] && !probe_turn) || (k == 3 && issue[2] && probe_turn))
          passed = 1'b1;
      end
    end
    // A head whose flow is free: events of other flows that go before it are of higher order.
    unordered = !busy && issue != '0 && !mine && !cnps_edge &&
                ((heads[1] && !issue[0]) || (heads[2] && issue[3] && !probe_turn) ||
                 (heads[3] && issue[2] && commands_q != '0));
  end

  always_comb begin
    unique case (Property)
      // If it holds in a cycle it does in the next; in parts. Places.
      0: bad_o = after && !ok[0];
      // No flow has two places.
      10: bad_o = first && ((busy_at | joined_at) & ((busy_at | joined_at) - 32'd1)) != '0;
      // Joined CNPs.
      5: bad_o = after && !ok[1];
      // Flags.
      6: bad_o = after && !ok[2];
      // Waits.
      7: bad_o = after && !ok[3];
      // The invariant holds after a reset.
      3: bad_o = begun_q && second_q && !good;
      // Where it holds, two events of the flow are Distance edges apart.
      1: bad_o = first && mine && age_q != 6'(D);
      // … no head has waited for 2 * Distance edges and is not issued, or an event of its flow before it.
      2: bad_o = first && starved && !hold_i && (issue == '0 || joined_out);
      // … a head that waited is not passed.
      4: bad_o = first && passed;
      // … a head whose flow is free waits for what is of higher order, and for one command.
      8: bad_o = first && unordered;
      // … an edge issues something if a head's flow is free.
      9: bad_o = first && !busy && heads != '0 && !hold_i && issue == '0;
      // false_: no head waits for 2 * Distance - 1 edges.
      20: bad_o = first && late_q[1] == 7'(2 * D - 1);
      // false_: no CNP lets another head of its flow go before it.
      21: bad_o = first && valid_i[0] && cnp_flow_i == '0 && !busy && !probe_round && mine && !issue[0];
      // false_: no byte notification goes before a command.
      22: bad_o = first && issue[3] && valid_i[2] && !probe_round && command_flow_i == bytes_flow_i;
      default: bad_o = 1'b1;
    endcase
  end
endmodule
