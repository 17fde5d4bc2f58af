// Joins the frames of two streams into one, whole frames each. Stream a comes first when both wait.
// SPDX-License-Identifier: Apache-2.0
module dc_cnp_mux #(
  parameter int unsigned Width = 32  // bits of a beat, not counting tlast
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             a_tvalid_i,
  output logic             a_tready_o,
  input  logic             a_tlast_i,
  input  logic [Width-1:0] a_beat_i,
  input  logic             b_tvalid_i,
  output logic             b_tready_o,
  input  logic             b_tlast_i,
  input  logic [Width-1:0] b_beat_i,
  output logic             m_tvalid_o,
  input  logic             m_tready_i,
  output logic             m_tlast_o,
  output logic [Width-1:0] m_beat_o
);
  logic inside_q, of_a_q, a;  // 1: inside a frame; stream of this frame; selected stream

  assign a          = inside_q ? of_a_q : a_tvalid_i;
  assign m_tvalid_o = a ? a_tvalid_i : b_tvalid_i;
  assign m_tlast_o  = a ? a_tlast_i : b_tlast_i;
  assign m_beat_o   = a ? a_beat_i : b_beat_i;
  assign a_tready_o = a && m_tready_i;
  assign b_tready_o = !a && m_tready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      of_a_q   <= 1'b0;
    end else if (m_tvalid_o && m_tready_i) begin
      inside_q <= !m_tlast_o;
      of_a_q   <= a;
    end
  end
endmodule
