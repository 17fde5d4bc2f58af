// Issue: order of kinds, no two events of one flow less than Distance apart, CNPs joined without a loss; for abc's pdr.
//
// Any one of four flows is watched. Property 20 and up are known to be false.
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
  logic [1:0] watch_q;  // stands still
  always_ff @(posedge clk_i) if (!running) watch_q <= watch_i;

  logic [3:0] issue, valid;
  logic [1:0] kind, flow;
  logic [7:0] marks, packets, count;
  logic [5:0] dscp;
  logic       take, joined, quiet;
  assign valid = running ? valid_i : '0;  // FIFOs are empty in reset

  dc_arbiter #(.FlowW(2)) u_arbiter (
    .clk_i         (clk_i),
    .rst_ni        (running),
    .clear_i       (1'b0),
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

  // Issues of the watched flow, and of any, in the edges before; the newest lowest.
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

  // The CNPs of the watched flow that left the queue and are not issued: their number and marks, and for how many edges
  // without a hold they wait.
  logic [7:0] count_q, marks_q;
  logic [6:0] waits_q;
  logic       out, in;
  assign out = mine && issue[0] && count_q != '0;  // the joined CNPs are issued
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

  // The latest event of the watched flow was a CNP.
  logic mine_cnp_q;
  always_ff @(posedge clk_i or negedge running) begin
    if (!running) mine_cnp_q <= 1'b0;
    else if (mine) mine_cnp_q <= issue[0];
  end

  // Heads of the watched flow that are not CNPs.
  logic [3:0] heads;
  assign heads = valid & {bytes_flow_i == watch_q, command_flow_i == watch_q, timer_flow_i == watch_q, 1'b0};

  always_comb begin
    unique case (Property)
      // Two issues of one flow are Distance edges apart at least.
      0: bad_o = running && mine && mine_q[D-2:0] != '0;
      // … and no more than that: a head whose flow is Distance away is issued, or another event is.
      1: bad_o = running && !hold_i && count_q == '0 && mine_q[D-2:0] == '0 && issue == '0 &&
                 (heads != '0 || (valid[0] && cnp_flow_i == watch_q));
      // One at most, of what is there; what is issued is told.
      2: bad_o = running && ((issue & (issue - 4'd1)) != '0 || (issue[3:1] & ~valid[3:1]) != '0 ||
                               (issue != '0 && issue != 4'd1 << kind) || (issue[1] && flow != timer_flow_i) ||
                               (issue[2] && flow != command_flow_i) || (issue[3] && flow != bytes_flow_i) ||
                               (take && !valid[0]));
      // Nothing while it is held.
      3: bad_o = running && hold_i && (issue != '0 || take);
      // Quiet: everything issued was issued more than Distance edges ago.
      4: bad_o = running && quiet != (any_q == '0);
      // Joined CNPs are issued with their number and the sum of their marks.
      5: bad_o = running && out && (count != count_q || marks != marks_q);
      // … at the second round at the latest.
      6: bad_o = running && waits_q > 7'(2 * D);
      // … and not before a head of their flow if the event before was theirs as well.
      7: bad_o = running && out && heads != '0 && mine_cnp_q;
      // false_: something is always issued when something is there.
      20: bad_o = running && valid != '0 && !hold_i && issue == '0;
      // false_: one flow is never issued a second time.
      21: bad_o = running && mine && mine_q[D-1];
      // false_: no two CNPs are ever joined.
      22: bad_o = running && out && count > 8'd1;
      default: bad_o = 1'b1;
    endcase
  end
endmodule
