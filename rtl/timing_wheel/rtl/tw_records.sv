// Records of the slots: place of each slot's event, its list, and its due time.
//
// One write per cycle, in this order of priority: the sweep that empties all records after reset; the engine's write;
// the update after a taken expiry, which waits for a free cycle.
module tw_records #(
  parameter int unsigned NumTimers = 1024,
  parameter int unsigned ListW     = 7,
  parameter int unsigned DueW      = 17,
  parameter int unsigned Secded    = 0,  // 1: memories correct bits (ram_guarded.sv)
  localparam int unsigned SlotW    = $clog2(NumTimers),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,  // pins of the RAMs (ram_pkg.sv)
  input  logic             clear_i,         // restarts the sweep of the records
  input  logic             sweep_i,
  output logic             sweep_last_o,    // the last record is emptied in this cycle
  input  logic             ren_i,           // read strobe: held_o, list_o and due_o follow in the next cycle
  input  logic [SlotW-1:0] rslot_i,
  output logic [1:0]       held_o,          // event's place: timing_wheel_pkg::HeldNowhere, …
  output logic [ListW-1:0] list_o,
  output logic [DueW-1:0]  due_o,
  input  logic             wen_i,
  input  logic [SlotW-1:0] wslot_i,
  input  logic [1:0]       held_i,
  input  logic [ListW-1:0] list_i,
  input  logic [DueW-1:0]  due_i,
  input  logic             engine_i,        // the wheel's engine owns the write port, even if it does not write
  input  logic             retire_valid_i,  // the record of retire_slot_i must be emptied
  input  logic [SlotW-1:0] retire_slot_i,
  output logic             retired_o,
  input  logic             use_i,           // the word read is used in this cycle
  output logic [ReportW-1:0] error_o        // report on the word used in the previous cycle (ram_guarded.sv)
);
  localparam int unsigned RecordW = 2 + ListW + DueW;

  logic               wen;
  logic [SlotW-1:0]   waddr, sweep_q;
  logic [RecordW-1:0] wdata;

  ram_guarded #(.Depth(NumTimers), .Width(RecordW), .Secded(Secded), .Number(23)) u_record (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (ren_i),
    .raddr_i(rslot_i),
    .rdata_o({held_o, list_o, due_o}),
    .wen_i  (wen),
    .waddr_i(waddr),
    .wdata_i(wdata),
    .use_i  (use_i),
    .report_o(error_o)
  );

  assign sweep_last_o = sweep_q == SlotW'(NumTimers - 1);
  assign retired_o    = !engine_i && !sweep_i;

  always_comb begin
    wen   = wen_i;
    waddr = wslot_i;
    wdata = {held_i, list_i, due_i};
    if (!engine_i) begin
      wen   = sweep_i || retire_valid_i;
      waddr = sweep_i ? sweep_q : retire_slot_i;
      wdata = '0;  // an empty record has the place timing_wheel_pkg::HeldNowhere
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sweep_q <= '0;
    else sweep_q <= (sweep_i && !clear_i) ? sweep_q + 1'b1 : '0;
  end
endmodule
