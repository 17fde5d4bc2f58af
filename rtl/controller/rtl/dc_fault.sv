// Reaction to a word with wrong parity: the controller stops until a soft reset or a rebuild (dc_rebuild.sv).
// SPDX-License-Identifier: Apache-2.0
//
// A word's wrong parity is known one cycle after the word is used. The manager writes an event back and answers it 20
// cycles or more after the event's last read of a memory. So no result of a wrong word leaves the controller.
module dc_fault #(
  parameter int unsigned Memories = 7
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,   // soft reset clears the stored memory fault
  input  logic                resume_i,  // start of the rebuild clears the fault, and keeps where_o
  input  logic [Memories-1:0] wrong_i,   // memories of which a word used in the cycle before had wrong parity
  input  logic [Memories-1:0] forgiven_i, // memories whose wrong words do not stop the manager in this cycle
  output logic                raise_o,   // raises the interrupt cause of memory errors
  output logic                fault_o,  // stops the manager: no event may be issued or written back
  output logic [Memories-1:0] where_o,   // memories with wrong parity since the soft reset
  output logic [15:0]         count_o    // cycles with wrong words since power-up reset, saturated
);
  logic                clear_q;  // 1 in the cycle after clear_i, when wrong_i still concerns earlier words
  logic                resume_q; // 1 in the cycle after resume_i, when wrong_i still concerns earlier words
  logic                fault_q;
  logic [Memories-1:0] where_q;
  logic [15:0]         count_q;

  assign raise_o = wrong_i != '0;
  assign fault_o = fault_q;
  assign where_o = where_q;
  assign count_o = count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clear_q <= 1'b0;
      resume_q <= 1'b0;
      fault_q <= 1'b0;
      where_q <= '0;
      count_q <= '0;
    end else begin
      clear_q <= clear_i;
      resume_q <= resume_i;
      if (clear_i || clear_q) begin
        fault_q <= 1'b0;
        where_q <= '0;
      end else begin
        if (resume_i || resume_q) fault_q <= 1'b0;
        else if ((wrong_i & ~forgiven_i) != '0) fault_q <= 1'b1;
        where_q <= where_q | wrong_i;
      end
      if (wrong_i != '0 && count_q != '1) count_q <= count_q + 1'b1;
    end
  end
endmodule
