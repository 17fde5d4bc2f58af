// Properties of the arbiter for abc's pdr: order of kinds, no two events of one flow less than Distance edges apart,
// CNPs joined without a loss.
//
// The bench watches any one of four flows. Properties from number 20 on are known to be false.
module arbiter_formal #(
  parameter int unsigned Property = 0
) (
  input  logic       clk_i,
  input  logic       hold_i,
  input  logic [3:0] valid_i,
  input  logic [1:0] cnp_flow_i,
  input  logic [7:0] cnp_marks_i,
  input  logic [1:0] timer_flow_i,
  input  logic [1:0] command_flow_i,
  input  logic [1:0] bytes_flow_i,
  input  logic [1:0] watch_i,
  output logic       bad_o
);
  localparam int unsigned D = dcc_controller_pkg::Distance;
  logic running;
  from_reset u_start (.clk_i(clk_i), .running_o(running));
  logic [1:0] watch_q;  // number of the watched flow, constant after reset
  always_ff @(posedge clk_i) if (!running) watch_q <= watch_i;

  logic [3:0] issue, valid;
  logic [1:0] kind, flow;
  logic [7:0] marks, packets, count;
  logic [5:0] dscp;
  logic       take, joined, quiet;
  assign valid = running ? valid_i : '0;  // in reset all FIFOs are empty

  dc_arbiter #(.FlowW(2)) u_arbiter (
    .clk_i         (clk_i),
    .clk_free_i    (clk_i),
    .rst_ni        (running),
    .clear_i       (1'b0),
    .forget_i      (1'b0),
    .hold_i        (hold_i),
    .valid_i       (valid),
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
    .cnp_dscp_o    (dscp),
    .cnp_marks_o   (marks),
    .cnp_packets_o (packets),
    .cnp_count_o   (count),
    .joined_o      (joined),
    .quiet_o       (quiet)
  );

  // Issues of the watched flow, and issues of any flow, at the previous D clock edges; the latest edge is in the
  // lowest bit.
  logic [D-1:0] mine_q, any_q;
  logic         mine;
  assign mine = issue != '0 && flow == watch_q;
  always_ff @(posedge clk_i or negedge running) begin
    if (!running) begin
      mine_q <= '0;
      any_q  <= '0;
    end else begin
      mine_q <= {mine_q[D-2:0], mine};
      any_q  <= {any_q[D-2:0], issue != '0};
    end
  end

  // CNPs of the watched flow that left the queue and are not issued yet: number of these CNPs, sum of their marks, and
  // number of edges without a hold that they have waited.
  logic [7:0] count_q, marks_q;
  logic [6:0] waits_q;
  logic       out, in;
  assign out = mine && issue[0] && count_q != '0;  // the joined CNPs of the watched flow are issued
  assign in  = take && cnp_flow_i == watch_q && !(mine && issue[0]);
  always_ff @(posedge clk_i or negedge running) begin
    if (!running) begin
      count_q <= '0;
      marks_q <= '0;
      waits_q <= '0;
    end else begin
      count_q <= (out ? 8'd0 : count_q) + 8'(in);
      marks_q <= (out ? 8'd0 : marks_q) + (in ? cnp_marks_i : 8'd0);
      waits_q <= (count_q == '0 || out || hold_i) ? '0 : waits_q + 7'(waits_q != '1);
    end
  end

  // True if the latest event of the watched flow was a CNP.
  logic mine_cnp_q;
  always_ff @(posedge clk_i or negedge running) begin
    if (!running) mine_cnp_q <= 1'b0;
    else if (mine) mine_cnp_q <= issue[0];
  end

  // Heads of the other input queues (all kinds but CNPs) that belong to the watched flow.
  logic [3:0] heads;
  assign heads = valid & {bytes_flow_i == watch_q, command_flow_i == watch_q, timer_flow_i == watch_q, 1'b0};

  always_comb begin
    unique case (Property)
      // Two issues of one flow are at least Distance edges apart.
      0: bad_o = running && mine && mine_q[D-2:0] != '0;
      // When the watched flow's last issue is Distance edges ago and a head belongs to this flow, the arbiter issues
      // an event.
      1: bad_o = running && !hold_i && count_q == '0 && mine_q[D-2:0] == '0 && issue == '0 &&
                 (heads != '0 || (valid[0] && cnp_flow_i == watch_q));
      // The arbiter issues at most one event, only an event at a head, and reports the kind and flow of the issued
      // event.
      2: bad_o = running && ((issue & (issue - 4'd1)) != '0 || (issue[3:1] & ~valid[3:1]) != '0 ||
                               (issue != '0 && issue != 4'd1 << kind) || (issue[1] && flow != timer_flow_i) ||
                               (issue[2] && flow != command_flow_i) || (issue[3] && flow != bytes_flow_i) ||
                               (take && !valid[0]));
      // The arbiter issues nothing and takes no CNP while hold_i is 1.
      3: bad_o = running && hold_i && (issue != '0 || take);
      // quiet_o is 1 exactly if no event was issued in the last Distance edges.
      4: bad_o = running && quiet != (any_q == '0);
      // Joined CNPs are issued with the number of joined CNPs and the sum of their marks.
      5: bad_o = running && out && (count != count_q || marks != marks_q);
      // Joined CNPs are issued in the second round of the ring at the latest.
      6: bad_o = running && waits_q > 7'(2 * D);
      // If the flow's last issued event was a CNP, joined CNPs are not issued before a waiting event of another kind
      // of this flow.
      7: bad_o = running && out && heads != '0 && mine_cnp_q;
      // false_: the arbiter always issues an event when an event waits.
      20: bad_o = running && valid != '0 && !hold_i && issue == '0;
      // false_: no flow is ever issued a second time.
      21: bad_o = running && mine && mine_q[D-1];
      // false_: no two CNPs are ever joined.
      22: bad_o = running && out && count > 8'd1;
      default: bad_o = 1'b1;
    endcase
  end
endmodule
