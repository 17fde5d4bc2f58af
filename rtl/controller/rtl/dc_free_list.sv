// List of free slots: slots that were never used in ascending order, then returned slots in the order of their return.
// SPDX-License-Identifier: Apache-2.0
module dc_free_list #(
  parameter int unsigned Slots = 1024,
  parameter int unsigned Secded = 0,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,  // pins of the RAMs (ram_pkg.sv)
  input  logic             clear_i,  // soft reset: frees all slots; the sweep after it puts the slots in order
  input  logic             empty_i,  // rebuild (dc_rebuild.sv) begins: the list of free slots becomes empty
  input  logic             sweep_i,
  input  logic [SlotW-1:0] index_i,
  output logic             any_o,
  output logic [SlotW-1:0] slot_o,    // free slot at the head of the list
  input  logic             take_i,    // takes the slot at the head; only when any_o is 1
  input  logic             give_i,
  input  logic [SlotW-1:0] give_slot_i,
  output logic [SlotW:0]   count_o,
  output logic [ReportW-1:0] report_o // report on the slot number read in the previous cycle (ram_guarded.sv)
);
  logic [SlotW-1:0] head_q, head_d, tail_q;
  logic [SlotW:0]   count_q;

  assign head_d  = (clear_i || empty_i) ? '0 : head_q + SlotW'(take_i);
  assign any_o   = count_q != '0;
  assign count_o = count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      count_q <= (SlotW + 1)'(Slots);
    end else begin
      head_q  <= head_d;
      tail_q  <= (clear_i || empty_i) ? '0 : tail_q + SlotW'(give_i);
      count_q <= clear_i ? (SlotW + 1)'(Slots) : empty_i ? '0
                         : count_q + (SlotW + 1)'(give_i) - (SlotW + 1)'(take_i);
    end
  end

  ram_guarded #(.Depth(Slots), .Width(SlotW), .Secded(Secded), .Number(6)) u_list (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (1'b1),
    .raddr_i(head_d),
    .rdata_o(slot_o),
    .wen_i  (sweep_i || give_i),
    .waddr_i(sweep_i ? index_i : tail_q),
    .wdata_i(sweep_i ? index_i : give_slot_i),
    .use_i  (take_i),
    .report_o(report_o)
  );
endmodule
