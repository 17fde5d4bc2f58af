// Contract of the parser as assertions, bound to the block in every verilated build.
// SPDX-License-Identifier: Apache-2.0
module dc_parser_sva #(
  parameter int unsigned FlowW = 10
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             s_tready_o,
  input logic             init_done_o,
  input logic             cnp_valid_o,
  input logic             cnp_ready_i,
  input logic             data_valid_o,
  input logic             data_ready_i,
  input logic             other_o,
  input logic             refused_o,
  input logic [FlowW-1:0] flow_o
);
  // A received frame has exactly one outcome.
  one_outcome: assert property (@(posedge clk_i) disable iff (!rst_ni)
    $onehot0({cnp_valid_o, data_valid_o, other_o, refused_o}));
  cnp_stays: assert property (@(posedge clk_i) disable iff (!rst_ni)
    cnp_valid_o && !cnp_ready_i |=> cnp_valid_o && $stable(flow_o));
  data_stays: assert property (@(posedge clk_i) disable iff (!rst_ni)
    data_valid_o && !data_ready_i |=> data_valid_o && $stable(flow_o));
  // A frame whose outcome no output port needs does not block later frames.
  refused_passes: assert property (@(posedge clk_i) disable iff (!rst_ni)
    init_done_o && (refused_o || other_o) |-> s_tready_o);
endmodule

bind dc_parser dc_parser_sva #(.FlowW(FlowW)) u_sva (.*);
