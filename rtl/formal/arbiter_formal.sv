// Issue: order of kinds, and no two events of one flow less than Distance apart; for abc's pdr.
//
// Any one of four flows is watched. Property 20 and up are known to be false.
module arbiter_formal #(
  parameter int unsigned Property = 0
) (
  input  logic       clk_i,
  input  logic       hold_i,
  input  logic [3:0] valid_i,
  input  logic [1:0] cnp_flow_i,
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
  logic [1:0] kind, flow, chosen;
  logic       quiet;
  assign valid = running ? valid_i : '0;  // FIFOs are empty in reset

  dc_arbiter #(.FlowW(2)) u_arbiter (
    .clk_i         (clk_i),
    .rst_ni        (running),
    .hold_i        (hold_i),
    .valid_i       (valid),
    .cnp_flow_i    (cnp_flow_i),
    .timer_flow_i  (timer_flow_i),
    .command_flow_i(command_flow_i),
    .bytes_flow_i  (bytes_flow_i),
    .issue_o       (issue),
    .kind_o        (kind),
    .flow_o        (flow),
    .quiet_o       (quiet)
  );
  always_comb begin
    chosen = bytes_flow_i;
    if (valid[2]) chosen = command_flow_i;
    if (valid[1]) chosen = timer_flow_i;
    if (valid[0]) chosen = cnp_flow_i;
  end

  // Issues of the watched flow, and of any, in the edges before; the newest lowest.
  logic [D-1:0] mine_q, any_q;
  always_ff @(posedge clk_i or negedge running) begin
    if (!running) begin
      mine_q <= '0;
      any_q  <= '0;
    end else begin
      mine_q <= {mine_q[D-2:0], issue != '0 && chosen == watch_q};
      any_q  <= {any_q[D-2:0], issue != '0};
    end
  end

  always_comb begin
    unique case (Property)
      // Two issues of one flow are Distance edges apart at least.
      0: bad_o = running && issue != '0 && chosen == watch_q && mine_q[D-2:0] != '0;
      // … and no more than that: what is chosen and Distance away is issued.
      1: bad_o = running && valid != '0 && !hold_i && chosen == watch_q && mine_q[D-2:0] == '0 &&
                 issue == '0;
      // One at most, of what is there, first in order; what is issued is told.
      2: bad_o = running && ((issue & (issue - 4'd1)) != '0 || (issue & ~valid) != '0 ||
                               (issue != '0 && (valid & (issue - 4'd1)) != '0) ||
                               (issue != '0 && (flow != chosen || issue != 4'd1 << kind)));
      // Nothing while it is held.
      3: bad_o = running && hold_i && issue != '0;
      // Quiet: everything issued was issued more than Distance edges ago.
      4: bad_o = running && quiet != (any_q == '0);
      // false_: something is always issued when something is there.
      20: bad_o = running && valid != '0 && !hold_i && issue == '0;
      // false_: one flow is never issued a second time.
      21: bad_o = running && issue != '0 && chosen == watch_q && mine_q[D-1];
      // false_: bytes are never issued while a CNP waits in the next cycle.
      22: bad_o = running && issue == 4'd8 && any_q[0] && mine_q[0];
      default: bad_o = 1'b1;
    endcase
  end
endmodule
