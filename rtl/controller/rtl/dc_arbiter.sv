// Event arbiter: issues the first kind in order whose flow has no event in the pipeline; joins CNPs of other flows.
// SPDX-License-Identifier: Apache-2.0
//
// The choice is made in every cycle; an issued event is in the first register of the pipeline in the next cycle.
// A ring of Distance places holds the flows of the last issues: an event that is issued in a cycle takes the place
// at_q, which was taken Distance cycles before. A CNP whose flow is in the ring waits in that flow's place, where
// further CNPs of the flow join it, and is issued when its place comes round. So no CNP stops the queue behind it.
// After two CNPs of one flow an event of another kind of that flow is issued, if one is at the head of its kind.
// A head of another kind that once found its flow busy goes before the flow's next CNP, even if that one finds it free.
// A byte notification at the head lets one command go before it, and goes before the next: so commands stop no bytes.
module dc_arbiter #(
  parameter int unsigned FlowW = 14
) (
  input  logic             clk_i,
  input  logic             clk_free_i,   // never stands still (dc_clocks.sv): the ring turns in every cycle
  input  logic             rst_ni,
  input  logic             clear_i,      // soft reset: joined CNPs are dropped
  input  logic             forget_i,     // rebuild (dc_rebuild.sv): the heads are no longer those that waited
  input  logic             hold_i,       // the arbiter issues no event and takes no CNP
  input  logic [3:0]       valid_i,      // for each kind of event: an event waits at the head of its queue
  input  logic [FlowW-1:0] cnp_flow_i,
  input  logic [5:0]       cnp_dscp_i,
  input  logic [7:0]       cnp_marks_i,
  input  logic [7:0]       cnp_packets_i,
  input  logic [FlowW-1:0] timer_flow_i,
  input  logic [FlowW-1:0] command_flow_i,
  input  logic [FlowW-1:0] bytes_flow_i,
  output logic             cnp_take_o,   // the CNP at the head of its queue is issued or joined to others
  output logic [3:0]       issue_o,      // one-hot kind of the event issued in this cycle
  output logic [1:0]       kind_o,       // kind of the event issued in this cycle
  output logic [FlowW-1:0] flow_o,
  output logic [5:0]       cnp_dscp_o,   // DSCP of the issued CNP, from the last joined one
  output logic [7:0]       cnp_marks_o,  // sum of the marks of the joined CNPs
  output logic [7:0]       cnp_packets_o,
  output logic [7:0]       cnp_count_o,
  output logic             joined_o,     // some joined CNPs wait to be issued
  output logic             quiet_o       // every issued event has been written back
);
  localparam int unsigned Places = dcc_controller_pkg::Distance;
  localparam int unsigned PlaceW = $clog2(Places);

  logic [PlaceW-1:0] at_q;
  logic [Places-1:0] busy_q;    // this place's flow has an event in the pipeline
  logic [Places-1:0] after_q;   // the last event issued from this place is a CNP
  logic [Places-1:0] joined_q;  // joined CNPs of this place's flow wait
  logic [FlowW-1:0]  flow_q [Places];
  logic [5:0]        dscp_q [Places];
  logic [7:0]        marks_q [Places];
  logic [7:0]        packets_q [Places];
  logic [7:0]        count_q [Places];

  // ---------------------------------------------------------------------------------------------
  // Places of the flows at the heads: each flow has one place at most
  // ---------------------------------------------------------------------------------------------
  logic [Places-1:0] taken, cnp_match;
  logic [3:0]        blocked;
  logic [PlaceW-1:0] join_at;

  always_comb begin
    taken       = busy_q | joined_q;
    taken[at_q] = 1'b0;
    cnp_match   = '0;
    join_at     = '0;
    blocked     = '0;
    if (taken != '0) begin  // skipping this search saves simulation time
      if (valid_i[dcc_controller_pkg::KindCnp]) begin
        for (int unsigned i = 0; i < Places; i++) begin
          cnp_match[i] = taken[i] && flow_q[i] == cnp_flow_i;
          if (cnp_match[i]) join_at = join_at | PlaceW'(i);
        end
        blocked[dcc_controller_pkg::KindCnp] = cnp_match != '0;
      end
      if (valid_i[dcc_controller_pkg::KindTimer]) begin
        for (int unsigned i = 0; i < Places; i++) begin
          if (taken[i] && flow_q[i] == timer_flow_i) blocked[dcc_controller_pkg::KindTimer] = 1'b1;
        end
      end
      if (valid_i[dcc_controller_pkg::KindCommand]) begin
        for (int unsigned i = 0; i < Places; i++) begin
          if (taken[i] && flow_q[i] == command_flow_i) blocked[dcc_controller_pkg::KindCommand] = 1'b1;
        end
      end
      if (valid_i[dcc_controller_pkg::KindBytes]) begin
        for (int unsigned i = 0; i < Places; i++) begin
          if (taken[i] && flow_q[i] == bytes_flow_i) blocked[dcc_controller_pkg::KindBytes] = 1'b1;
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Choice of the event to issue
  // ---------------------------------------------------------------------------------------------
  logic       round, free;  // round: turn of a place with joined CNPs; free: an event can be issued
  logic [3:0] same;         // for each kind: the head belongs to the flow of the CNP at the head of its queue
  logic [3:0] mine;         // for each kind: the head belongs to the flow of the place at_q
  logic [3:1] found;        // for each kind: the head finds its flow busy
  logic [3:1] waited_q;     // for each kind: the head found its flow busy before
  logic [3:0] ahead;        // for each kind: the head goes before the CNP that could be issued
  logic [3:0] choice;       // kinds of events from which the arbiter can choose
  logic       turn_q;       // a command was issued while the byte notification at the head waited
  logic       issue;

  assign round = joined_q[at_q];
  assign found = valid_i[3:1] & (blocked[3:1] | (round ? mine[3:1] : 3'b000));
  always_comb begin
    same[dcc_controller_pkg::KindCnp]     = 1'b0;
    same[dcc_controller_pkg::KindTimer]   = timer_flow_i == cnp_flow_i;
    same[dcc_controller_pkg::KindCommand] = command_flow_i == cnp_flow_i;
    same[dcc_controller_pkg::KindBytes]   = bytes_flow_i == cnp_flow_i;
    mine[dcc_controller_pkg::KindCnp]     = 1'b0;
    mine[dcc_controller_pkg::KindTimer]   = timer_flow_i == flow_q[at_q];
    mine[dcc_controller_pkg::KindCommand] = command_flow_i == flow_q[at_q];
    mine[dcc_controller_pkg::KindBytes]   = bytes_flow_i == flow_q[at_q];
    ahead  = valid_i & {waited_q, 1'b0} & same;
    choice = valid_i & ~blocked;
    if (choice[dcc_controller_pkg::KindCnp] && ahead != '0) choice = ahead;
    if (round) choice = after_q[at_q] ? valid_i & mine : 4'b0000;
    if (round && choice == '0) choice[dcc_controller_pkg::KindCnp] = 1'b1;
    if (choice[dcc_controller_pkg::KindCnp]) begin
      kind_o = dcc_controller_pkg::KindCnp;
      flow_o = round ? flow_q[at_q] : cnp_flow_i;
    end else if (choice[dcc_controller_pkg::KindTimer]) begin
      kind_o = dcc_controller_pkg::KindTimer;
      flow_o = timer_flow_i;
    end else if (choice[dcc_controller_pkg::KindCommand] && !(turn_q && choice[dcc_controller_pkg::KindBytes])) begin
      kind_o = dcc_controller_pkg::KindCommand;
      flow_o = command_flow_i;
    end else begin
      kind_o = dcc_controller_pkg::KindBytes;
      flow_o = bytes_flow_i;
    end
  end
  assign free    = choice != '0;
  assign issue   = free && !hold_i;
  assign issue_o = issue ? 4'b0001 << kind_o : 4'b0000;
  assign quiet_o = busy_q == '0;

  assign cnp_dscp_o    = round ? dscp_q[at_q] : cnp_dscp_i;
  assign cnp_marks_o   = round ? marks_q[at_q] : cnp_marks_i;
  assign cnp_packets_o = round ? packets_q[at_q] : cnp_packets_i;
  assign cnp_count_o   = round ? count_q[at_q] : 8'd1;
  assign joined_o      = joined_q != '0;

  // ---------------------------------------------------------------------------------------------
  // Joining: marked CNPs join marked CNPs, clear notifications join clear ones, if the sums fit their fields
  // ---------------------------------------------------------------------------------------------
  logic [8:0] marks, packets;
  logic       untold, more, fits, join_now;

  assign marks    = {1'b0, marks_q[join_at]} + {1'b0, cnp_marks_i};
  assign packets  = {1'b0, packets_q[join_at]} + {1'b0, cnp_packets_i};
  assign untold   = packets_q[join_at] == '0 || cnp_packets_i == '0;
  assign more     = joined_q[join_at];
  assign fits     = !more || (!marks[8] && count_q[join_at] != '1 &&
                              (marks_q[join_at] == '0) == (cnp_marks_i == '0));
  assign join_now = blocked[dcc_controller_pkg::KindCnp] && fits && !hold_i;
  assign cnp_take_o = join_now || (issue_o[dcc_controller_pkg::KindCnp] && !round);

  always_ff @(posedge clk_free_i or negedge rst_ni) begin
    if (!rst_ni) at_q <= '0;
    else at_q <= at_q + 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q   <= '0;
      joined_q <= '0;
      waited_q <= '0;
      turn_q   <= 1'b0;
    end else begin
      busy_q[at_q] <= issue;
      if (clear_i || forget_i) waited_q <= '0;
      else if (!hold_i) waited_q <= (waited_q | found) & ~issue_o[3:1];
      if (clear_i || forget_i || issue_o[dcc_controller_pkg::KindBytes]) turn_q <= 1'b0;
      else if (issue_o[dcc_controller_pkg::KindCommand] && valid_i[dcc_controller_pkg::KindBytes]) turn_q <= 1'b1;
      if (clear_i) begin
        joined_q <= '0;
      end else begin
        if (issue_o[dcc_controller_pkg::KindCnp]) joined_q[at_q] <= 1'b0;
        if (join_now) joined_q[join_at] <= 1'b1;
      end
    end
  end

  // Registers that are always written before they are read, so without a reset.
  always_ff @(posedge clk_i) begin
    if (issue) begin
      flow_q[at_q]  <= flow_o;
      after_q[at_q] <= kind_o == dcc_controller_pkg::KindCnp;
    end
    if (join_now) begin
      dscp_q[join_at]    <= cnp_dscp_i;
      marks_q[join_at]   <= more ? marks[7:0] : cnp_marks_i;
      packets_q[join_at] <= !more ? cnp_packets_i : untold ? 8'd0 : packets[8] ? 8'd255 : packets[7:0];
      count_q[join_at]   <= more ? count_q[join_at] + 1'b1 : 8'd1;
    end
  end
endmodule
