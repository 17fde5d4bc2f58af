// Flow table: the slot of a flow, and the present or last flow of a slot.
// SPDX-License-Identifier: Apache-2.0
//
// Flow numbers are dense, so a RAM with one entry for each flow gives an exact look-up in one cycle. After a soft
// reset the flows of all slots are unbound one after the other; a bound flow is the flow of its slot.
module dc_flow_table #(
  parameter int unsigned Slots = 1024,
  parameter int unsigned FlowW = 14,
  parameter int unsigned Secded = 0,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic             clk_i,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,  // pins of the RAMs (ram_pkg.sv)
  // look-up of a flow, answered in the next cycle
  input  logic             match_i,
  input  logic [FlowW-1:0] match_flow_i,
  output logic             bound_o,
  output logic [SlotW-1:0] slot_o,
  // look-up of a slot's flow, answered in the next cycle
  input  logic             name_i,
  input  logic [SlotW-1:0] name_slot_i,
  output logic [FlowW-1:0] name_flow_o,
  // changes of the flow table: bind, unbind
  input  logic             bind_i,
  input  logic             unbind_i,
  input  logic [FlowW-1:0] flow_i,
  input  logic [SlotW-1:0] slot_i,
  // sweep of the flow table after a reset
  input  logic             sweep_i,
  input  logic             power_up_i,
  input  logic             in_range_i,
  input  logic [FlowW-1:0] index_i,
  // rebuild (dc_rebuild.sv): the sweep keeps the flows of slots, and these flows are then written without a bind
  input  logic             keep_i,
  input  logic             rename_i,
  output logic [ReportW-1:0] report_o  // report on the words used in the previous cycle (ram_guarded.sv)
);
  logic             unname_q;  // 1: the sweep unbinds name_flow_o, the flow of the slot swept in the previous cycle
  logic             match_q, name_q;
  logic [2*ReportW-1:0] reports;
  logic             wen;
  logic [FlowW-1:0] waddr;

  always_ff @(posedge clk_i) begin
    unname_q <= sweep_i && !power_up_i && in_range_i;
    match_q  <= match_i;
    name_q   <= name_i;
  end

  assign wen   = bind_i || unbind_i || unname_q || (sweep_i && power_up_i && in_range_i);
  assign waddr = unname_q ? name_flow_o : sweep_i ? index_i : flow_i;

  ram_reports #(.ReportW(ReportW)) u_reports (.reports_i(reports), .report_o(report_o));

  ram_guarded #(.Depth(1 << FlowW), .Width(SlotW + 1), .Secded(Secded), .Number(0)) u_slot_of (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (match_i),
    .raddr_i(match_flow_i),
    .rdata_o({bound_o, slot_o}),
    .wen_i  (wen),
    .waddr_i(waddr),
    .wdata_i({bind_i, sweep_i ? '0 : slot_i}),  // during the sweep no slot is bound, so the sweep's entries are zeros
    .use_i  (match_q),
    .report_o(reports[0 +: ReportW])
  );

  ram_guarded #(.Depth(Slots), .Width(FlowW), .Secded(Secded), .Number(1)) u_flow_of (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (name_i || sweep_i),
    .raddr_i(sweep_i ? index_i[SlotW-1:0] : name_slot_i),
    .rdata_o(name_flow_o),
    .wen_i  (bind_i || rename_i || (sweep_i && power_up_i && !keep_i)),
    .waddr_i(sweep_i ? index_i[SlotW-1:0] : slot_i),
    .wdata_i(sweep_i ? '0 : flow_i),
    .use_i  (name_q || unname_q),
    .report_o(reports[ReportW +: ReportW])
  );
endmodule
