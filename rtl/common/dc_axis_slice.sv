// Register slice for an AXI4-Stream (skid buffer): no combinational path from input to output. One beat per cycle.
// SPDX-License-Identifier: Apache-2.0
module dc_axis_slice #(
  parameter int unsigned Width = 32  // bits of a beat: data, keep, last, user and all other signals of the beat
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             s_tvalid_i,
  output logic             s_tready_o,
  input  logic [Width-1:0] s_beat_i,
  output logic             m_tvalid_o,
  input  logic             m_tready_i,
  output logic [Width-1:0] m_beat_o
);
  // ready_q is 0 exactly while the spare (skid) register holds a beat.
  logic             valid_q, ready_q, keep, move;
  logic [Width-1:0] beat_q, spare_q;

  assign s_tready_o = ready_q;
  assign m_tvalid_o = valid_q;
  assign m_beat_o   = beat_q;
  assign move       = !valid_q || m_tready_i;           // the output register takes a beat or becomes empty
  assign keep       = s_tvalid_i && ready_q && !move;   // the beat must go to the spare register

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      ready_q <= 1'b0;
    end else begin
      if (move) valid_q <= !ready_q ? spare_valid_q : s_tvalid_i;
      ready_q <= !keep && (ready_q || move);
    end
  end
  // Distinguishes the first cycle after reset, in which ready_q is 0 and the spare register is empty.
  logic spare_valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) spare_valid_q <= 1'b0;
    else if (keep) spare_valid_q <= 1'b1;
    else if (move) spare_valid_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (keep) spare_q <= s_beat_i;
    if (move) beat_q <= spare_valid_q ? spare_q : s_beat_i;
  end
endmodule
