// Contract of the rate unit as assertions, and the unit's assumptions about its user, bound to the unit in
// every verilated build.
module rate_unit_sva (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        init_done_o,
  input dcc_rate_pkg::regs_t regs_i,
  input logic        req_valid_i,
  input logic        req_ready_o,
  input logic        req_increase_i,
  input logic [16:0] req_alpha_i,
  input logic        rsp_valid_o,
  input logic        rsp_ready_i,
  input logic        rsp_increase_o,
  input logic [31:0] rsp_rc_o,
  input logic [31:0] rsp_rt_o,
  input logic [16:0] rsp_alpha_o,
  input logic        tbl_valid_i,
  input logic        tbl_write_i,
  input logic        tbl_ready_o,
  input logic        busy_o,
  // signals inside the rate unit
  input logic        s2_valid,
  input logic [1:0]  s2_op_q,
  input logic        s7_valid,
  input logic [1:0]  s7_op_q,
  input logic [17:0] new_alpha
);
  logic request, response, read;
  assign request  = req_valid_i && req_ready_o;
  assign response = rsp_valid_o && rsp_ready_i;
  assign read     = tbl_valid_i && !tbl_write_i;

  // Assumptions on the user; results of requests that break these rules are undefined.
  alpha_in_range: assert property (@(posedge clk_i) disable iff (!rst_ni)
    request && !req_increase_i |-> req_alpha_i <= rate_lut_pkg::One16);
  registers_in_range: assert property (@(posedge clk_i) disable iff (!rst_ni)
    request |-> regs_i.first_cut <= rate_lut_pkg::One16 && regs_i.mark_shift <= 4'd10 &&
      regs_i.cut_floor <= rate_lut_pkg::One16);

  // A response stays stable until the consumer takes it.
  response_stays: assert property (@(posedge clk_i) disable iff (!rst_ni)
    rsp_valid_o && !rsp_ready_i |=> rsp_valid_o && $stable(rsp_increase_o) && $stable(rsp_rc_o) &&
      $stable(rsp_rt_o) && $stable(rsp_alpha_o));

  // One request per cycle is accepted, unless a response or a table read blocks it.
  no_needless_stall: assert property (@(posedge clk_i) disable iff (!rst_ni)
    init_done_o && !read && (!rsp_valid_o || rsp_ready_i) |-> req_ready_o);

  // The number of responses never exceeds that of requests, and at most as many requests are under way as there are
  // stages.
  logic [5:0] inside_q;
  logic [5:0] age_q;  // enabled cycles since the last request or table read entered
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= '0;
      age_q    <= '0;
    end else begin
      inside_q <= inside_q + 6'(request) - 6'(response);
      if (request) age_q <= '0;
      else if ((!rsp_valid_o || rsp_ready_i) && age_q != '1) age_q <= age_q + 1'b1;
    end
  end
  no_more_than_it_holds: assert property (@(posedge clk_i) disable iff (!rst_ni)
    inside_q <= 6'(rate_lut_pkg::Latency));
  no_response_unasked: assert property (@(posedge clk_i) disable iff (!rst_ni)
    rsp_valid_o |-> inside_q != '0);
  all_answered: assert property (@(posedge clk_i) disable iff (!rst_ni)
    age_q >= 6'(rate_lut_pkg::Latency) |-> inside_q == '0);
  busy_tells: assert property (@(posedge clk_i) disable iff (!rst_ni)
    !busy_o |-> inside_q == '0);

  // The alpha of a cut is a fraction (at most 1.0).
  alpha_is_fraction: assert property (@(posedge clk_i) disable iff (!rst_ni)
    rsp_valid_o && !rsp_increase_o |-> rsp_alpha_o <= rate_lut_pkg::One16);

  // The sum that gives alpha is at most 1.0 without saturation.
  alpha_sum_is_fraction: assert property (@(posedge clk_i) disable iff (!rst_ni)
    s7_valid && s7_op_q == rate_lut_pkg::OpDecrease |-> new_alpha <= 18'(rate_lut_pkg::One16));
  // The operation of a request is one of the three kinds.
  op_is_known: assert property (@(posedge clk_i) disable iff (!rst_ni)
    s2_valid |-> s2_op_q <= rate_lut_pkg::OpRead);

  // Every table access ends: a write at once, a read within the latency of the pipeline.
  logic [5:0] read_age_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) read_age_q <= '0;
    else if (!read || tbl_ready_o || !init_done_o) read_age_q <= '0;
    else if (!rsp_valid_o || rsp_ready_i) read_age_q <= read_age_q + 1'b1;
  end
  write_at_once: assert property (@(posedge clk_i) disable iff (!rst_ni)
    init_done_o && tbl_valid_i && tbl_write_i |-> tbl_ready_o);
  read_bounded: assert property (@(posedge clk_i) disable iff (!rst_ni)
    read_age_q <= 6'(rate_lut_pkg::Latency));
endmodule

bind rate_unit rate_unit_sva u_sva (.s2_valid(valid_q[2]), .s7_valid(valid_q[7]), .*);
