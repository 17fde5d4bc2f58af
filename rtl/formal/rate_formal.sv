// The rate unit's handshakes and limits under any stimulus, any registers and any contents of its
// tables (free_units.sv), for abc's pdr and bmc3.
//
// The reference is a shift register of sixteen stages, which moves when the unit may move and holds the accepted
// requests. Property selects one bad condition; conditions from number 20 on are known to be false and must have a
// counterexample.
module rate_formal #(
  parameter int unsigned Property = 0
) (
  input logic        clk_i,
  input dcc_rate_pkg::regs_t regs_i,
  input logic        req_valid_i,
  input logic        req_increase_i,
  input logic [31:0] req_rc_i,
  input logic [31:0] req_rt_i,
  input logic [5:0]  req_dscp_i,
  input logic [1:0]  req_stage_i,
  input logic [16:0] req_alpha_i,
  input logic [19:0] req_delta_i,
  input logic [7:0]  req_marks_i,
  input logic        req_first_i,
  input logic        rsp_ready_i,
  input logic        tbl_valid_i,
  input logic        tbl_write_i,
  input logic [2:0]  tbl_table_i,
  input logic [8:0]  tbl_index_i,
  input logic [31:0] tbl_wdata_i,
  output logic       bad_o
);
  localparam int unsigned Latency = rate_lut_pkg::Latency;

  // Reset of the unit is active in the first cycle only.
  logic running;
  from_reset u_start (.clk_i(clk_i), .running_o(running));

  logic        init_done, req_ready, rsp_valid, rsp_increase, at_maximum, tbl_ready, busy;
  logic [31:0] rsp_rc, rsp_rt, tbl_rdata;
  logic [16:0] rsp_alpha;

  // The register R_MIN stays constant in this proof, because a change would apply only to requests accepted after the
  // change.
  dcc_rate_pkg::regs_t regs;
  logic [31:0] least_q;
  always_ff @(posedge clk_i) if (!running) least_q <= regs_i.r_min;
  always_comb begin
    regs = regs_i;
    regs.r_min = least_q;
    if (Property == 3) regs.law = 1'b1;
    if (Property == 4 || Property == 5) regs.law = 1'b0;
  end

  logic unused_error;  // memory contents are arbitrary in this proof, so reported errors have no meaning
  rate_unit u_unit (
    .clk_i           (clk_i),
    .ram_pins_i('0),
    .rst_ni          (running),
    .init_done_o     (init_done),
    .regs_i          (regs),
    .req_valid_i     (req_valid_i),
    .req_ready_o     (req_ready),
    .req_increase_i  (req_increase_i),
    .req_rc_i        (req_rc_i),
    .req_rt_i        (req_rt_i),
    .req_dscp_i      (req_dscp_i),
    .req_stage_i     (req_stage_i),
    .req_alpha_i     (req_alpha_i),
    .req_delta_i     (req_delta_i),
    .req_marks_i     (req_marks_i),
    .req_first_i     (req_first_i),
    .rsp_valid_o     (rsp_valid),
    .rsp_ready_i     (rsp_ready_i),
    .rsp_increase_o  (rsp_increase),
    .rsp_rc_o        (rsp_rc),
    .rsp_rt_o        (rsp_rt),
    .rsp_alpha_o     (rsp_alpha),
    .rsp_at_maximum_o(at_maximum),
    .tbl_valid_i     (tbl_valid_i),
    .tbl_write_i     (tbl_write_i),
    .tbl_table_i     (tbl_table_i),
    .tbl_index_i     (tbl_index_i),
    .tbl_wdata_i     (tbl_wdata_i),
    .tbl_ready_o     (tbl_ready),
    .tbl_rdata_o     (tbl_rdata),
    .busy_o          (busy),
    .error_o         (unused_error)
  );

  logic accepted, moves, reading;
  assign accepted = req_valid_i && req_ready;
  assign moves    = !rsp_valid || rsp_ready_i;
  assign reading  = tbl_valid_i && !tbl_write_i;

  // Reference: for each stage whether a request entered so many moves ago, its kind, and its rate or target.
  logic [Latency:1] entered_q, increase_q;
  logic [31:0]      rate_q [1:Latency];
  logic [5:0]       read_age_q;
  always_ff @(posedge clk_i) begin
    if (moves) begin
      increase_q <= {increase_q[Latency-1:1], req_increase_i};
      rate_q[1]  <= (Property == 4) ? req_rt_i : req_rc_i;
      for (int unsigned i = 2; i <= Latency; i++) rate_q[i] <= rate_q[i-1];
    end
    if (!running) begin
      entered_q  <= '0;
      read_age_q <= '0;
    end else begin
      if (moves) entered_q <= {entered_q[Latency-1:1], accepted};
      if (!reading || tbl_ready || !init_done) read_age_q <= '0;
      else if (moves) read_age_q <= read_age_q + 6'd1;
    end
  end

  // Values of the previous cycle, for properties over two cycles.
  logic        was_running, was_waiting_q, was_done_q;
  logic [81:0] was_response_q, response;
  assign response = {rsp_increase, rsp_rc, rsp_rt, rsp_alpha};
  initial was_running = 1'b0;
  always_ff @(posedge clk_i) begin
    was_running  <= running;
    was_waiting_q  <= running && rsp_valid && !rsp_ready_i;
    was_done_q     <= running && init_done;
    was_response_q <= response;
  end

  logic [7:0] sweep_q;
  always_ff @(posedge clk_i) begin
    if (!running)                      sweep_q <= '0;
    else if (!init_done && sweep_q != '1) sweep_q <= sweep_q + 8'd1;
  end

  always_comb begin
    case (Property)
      // The unit keeps a response stable until the consumer takes it.
      0: bad_o = was_running && was_waiting_q && !(rsp_valid && response == was_response_q);
      // The unit answers each request exactly once, in order, sixteen moves after its handshake, and gives no response
      // without a request.
      1: bad_o = running && rsp_valid != entered_q[Latency];
      // The response has the kind of the request.
      2: bad_o = running && rsp_valid && rsp_increase != increase_q[Latency];
      // With DCQCN's law the rate before a cut is the target after the cut.
      3: bad_o = running && rsp_valid && !rsp_increase && rsp_rt != rate_q[Latency];
      // Without DCQCN's law a cut never raises the target, except to R_MIN, the least value of Rc.
      4: bad_o = running && rsp_valid && !rsp_increase && rsp_rt > rate_q[Latency] && rsp_rt > rsp_rc;
      // Without DCQCN's law a cut leaves the target at least at the least rate.
      5: bad_o = running && rsp_valid && !rsp_increase && rsp_rt < least_q;
      // The unit accepts one request per cycle, unless a response or a table read blocks it.
      6: bad_o = running && init_done && !reading && moves && !req_ready;
      // No response has a rate below R_MIN.
      7: bad_o = running && rsp_valid && rsp_rc < least_q;
      // After a cut alpha is a fraction (at most 1.0).
      8: bad_o = running && rsp_valid && !rsp_increase && rsp_alpha > rate_lut_pkg::One16;
      // The sweep of the tables ends after 129 cycles, and the unit accepts no request before.
      9: bad_o = running && !init_done && (sweep_q >= 8'd129 || accepted);
      // After the sweep init_done_o stays 1.
      10: bad_o = was_running && was_done_q && !init_done;
      // A table write ends at once, and a table read within one pass of the pipeline.
      11: bad_o = running && init_done && tbl_valid_i && tbl_write_i && !tbl_ready;
      12: bad_o = running && read_age_q > 6'(Latency);
      // Not busy implies that the pipeline is empty.
      13: bad_o = running && !busy && entered_q != '0;
      // false_: the unit never gives a response.
      20: bad_o = running && rsp_valid;
      // false_: the pipeline is never full.
      21: bad_o = running && entered_q == '1;
      // false_: a table read never delays a request.
      22: bad_o = running && init_done && moves && req_valid_i && !req_ready;
      // false_: a cut's target is never the rate 77.
      23: bad_o = running && rsp_valid && !rsp_increase && rsp_rt == 32'd77;
      // false_: a response never waits for the consumer.
      default: bad_o = was_running && was_waiting_q;
    endcase
  end
endmodule
