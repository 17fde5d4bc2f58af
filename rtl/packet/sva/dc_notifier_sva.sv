// Contract of the notification point as assertions, bound to the block in every verilated build.
// SPDX-License-Identifier: Apache-2.0
module dc_notifier_sva (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         packet_valid_i,
  input logic         packet_ready_o,
  input logic         m_tvalid_o,
  input logic         m_tready_i,
  input logic         m_tlast_o,
  input logic [63:0]  m_tkeep_o,
  input logic         init_done_o,
  input logic         full,
  input logic         waiting,
  input logic         settled,
  input logic         send,
  input logic         clear
);
  // AXI4-Stream: an offered beat stays stable until it is taken.
  beat_stays: assert property (@(posedge clk_i) disable iff (!rst_ni)
    m_tvalid_o && !m_tready_i |=> m_tvalid_o && $stable(m_tlast_o) && $stable(m_tkeep_o));
  // A CNP consists of two beats.
  two_beats: assert property (@(posedge clk_i) disable iff (!rst_ni)
    m_tvalid_o && m_tready_i && !m_tlast_o |=> m_tvalid_o && m_tlast_o);
  // No CNP is lost: none is pushed into the full FIFO.
  never_lost: assert property (@(posedge clk_i) disable iff (!rst_ni)
    settled && (send || clear) |-> !full);
  one_of_two: assert property (@(posedge clk_i) disable iff (!rst_ni) !(send && clear));
  nothing_before_sweep: assert property (@(posedge clk_i) disable iff (!rst_ni)
    !init_done_o |-> !packet_ready_o && !m_tvalid_o);
  cover_wait: cover property (@(posedge clk_i) disable iff (!rst_ni) packet_valid_i && !packet_ready_o && waiting);
endmodule

bind dc_notifier dc_notifier_sva u_sva (.*);
