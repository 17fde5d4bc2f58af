// Contract of a register slice, bound to every slice of a stream: an offered beat stays until it is taken.
// SPDX-License-Identifier: Apache-2.0
module dc_axis_slice_sva #(
  parameter int unsigned Width = 32
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             s_tready_o,
  input logic             m_tvalid_o,
  input logic             m_tready_i,
  input logic [Width-1:0] m_beat_o,
  input logic             spare_valid_q
);
  offer_stands: assert property (@(posedge clk_i) disable iff (!rst_ni)
    m_tvalid_o && !m_tready_i |=> m_tvalid_o && $stable(m_beat_o));
  // The slice accepts a beat only if it has room; only a waiting beat makes the slice not ready.
  room: assert property (@(posedge clk_i) disable iff (!rst_ni) s_tready_o |-> !spare_valid_q);
  spare_behind_output: assert property (@(posedge clk_i) disable iff (!rst_ni) spare_valid_q |-> m_tvalid_o);
endmodule

bind dc_axis_slice dc_axis_slice_sva #(.Width(Width)) u_sva (.*);
