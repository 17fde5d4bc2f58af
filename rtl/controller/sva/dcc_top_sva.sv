// Contract of the whole block at its ports and of its environment, bound to the block in every verilated
// build.
// SPDX-License-Identifier: Apache-2.0
module dcc_top_sva #(
  parameter int unsigned FlowW = 14
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [19:0]      paddr_i,
  input logic             psel_i,
  input logic             penable_i,
  input logic             pwrite_i,
  input logic [31:0]      pwdata_i,
  input logic             pready_o,
  input logic             pslverr_o,
  input logic             ready_o,
  input logic             cnp_valid_i,
  input logic             bytes_valid_i,
  input logic             bytes_ready_o,
  input logic             command_valid_i,
  input logic             command_ready_o,
  input logic             rate_valid_o,
  input logic             rate_query_o,
  input logic             rate_bound_o,
  input logic [FlowW-1:0] rate_flow_o,
  input logic [31:0]      rate_value_o
);
  logic over;
  assign over = psel_i && penable_i && pready_o;

  // The APB requester keeps the protocol of IHI 0024: signals of an access stay stable until the access ends.
  enable_follows_select: assert property (@(posedge clk_i) disable iff (!rst_ni)
    psel_i && !penable_i |=> psel_i && penable_i);
  access_stands: assert property (@(posedge clk_i) disable iff (!rst_ni)
    psel_i && !over |=> psel_i && $stable(paddr_i) && $stable(pwrite_i) && $stable(pwdata_i));
  enable_ends: assert property (@(posedge clk_i) disable iff (!rst_ni)
    over |=> !penable_i);

  // The block signals an error only with the end of an access, and ends no access in its first cycle.
  error_with_ready: assert property (@(posedge clk_i) disable iff (!rst_ni)
    pslverr_o |-> over);
  not_in_setup: assert property (@(posedge clk_i) disable iff (!rst_ni)
    psel_i && !penable_i |-> !pready_o);

  // No command is accepted before READY. A flow without a slot gets no rate; only queries report such
  // flows.
  no_early_command: assert property (@(posedge clk_i) disable iff (!rst_ni)
    command_ready_o |-> ready_o);
  unbound_only_to_queries: assert property (@(posedge clk_i) disable iff (!rst_ni)
    rate_valid_o && !rate_bound_o |-> rate_query_o);
  unbound_has_no_rate: assert property (@(posedge clk_i) disable iff (!rst_ni)
    rate_valid_o && !rate_bound_o |-> rate_value_o == '0);

  // An access ends within the time of a sweep, 34 cycles of waiting and the read itself.
  logic [15:0] waited_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waited_q <= '0;
    else waited_q <= (psel_i && !over && ready_o) ? waited_q + 1'b1 : '0;
  end
  no_access_hangs: assert property (@(posedge clk_i) disable iff (!rst_ni) waited_q < 16'd600);

  cnp_and_packet:   cover property (@(posedge clk_i) cnp_valid_i && bytes_valid_i && ready_o);
  back_pressure:    cover property (@(posedge clk_i) bytes_valid_i && !bytes_ready_o);
  command_waits:    cover property (@(posedge clk_i) command_valid_i && !command_ready_o && ready_o);
  answers_in_a_row: cover property (@(posedge clk_i) rate_valid_o && $past(rate_valid_o));
  same_flow_later:  cover property (@(posedge clk_i) rate_valid_o && $past(rate_valid_o) &&
                                    rate_flow_o != $past(rate_flow_o));
  write_waits:      cover property (@(posedge clk_i) psel_i && penable_i && pwrite_i && !pready_o);
endmodule

bind dcc_top dcc_top_sva #(.FlowW(FlowW)) u_sva (.*);
