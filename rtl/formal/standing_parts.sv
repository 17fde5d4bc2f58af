// Two modules with which standstill.py replaces the RTL's own when it proves that no register behind a clock gate would
// change while the gate is closed. They have less state, and any value where the RTL's modules have a certain one: so
// what is proved with them holds of the RTL, and is found sooner.

// A RAM without its contents. at_q is the address from which the word at the output was read; fresh_q is 1 until that
// address is written. While fresh_q is 1, reading at_q again leaves the output as it is; every other read may bring any
// word. writes_q changes with every write, so that a write counts as a change of a register. ram_stands_formal.sv proves
// that the output of ram_1r1w stands still wherever this one's does, and that it may miss such an edge.
module ram_1r1w #(
  parameter int unsigned Depth = 1024,
  parameter int unsigned Width = 32,
  localparam int unsigned AddrW = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,
  input  logic             ren_i,
  input  logic [AddrW-1:0] raddr_i,
  output logic [Width-1:0] rdata_o,
  input  logic             wen_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i
);
  logic             fresh_q, writes_q;
  logic [AddrW-1:0] at_q;
  logic [Width-1:0] any;
  assign any = $anyseq;
  always_ff @(posedge clk_i) begin
    if (wen_i) writes_q <= !writes_q;
    if (ren_i) begin
      at_q    <= raddr_i;
      fresh_q <= 1'b1;
      if (!fresh_q || raddr_i != at_q || (wen_i && waddr_i == raddr_i)) rdata_o <= any;
    end else if (wen_i && waddr_i == at_q) begin
      fresh_q <= 1'b0;
    end
  end
endmodule

// The timers, which never stand still: their outputs have any values.
module dc_timers #(
  parameter int unsigned Slots      = 1024,
  parameter int unsigned FlowW      = 14,
  parameter int unsigned TopBits    = 5,
  parameter int unsigned MiddleBits = 5,
  parameter int unsigned LastBits   = 6,
  parameter int unsigned Secded     = 0,
  localparam int unsigned SlotW   = $clog2(Slots),
  localparam int unsigned DueW    = TopBits + MiddleBits + LastBits + 1,
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,
  input  logic             clear_i,
  output logic             init_done_o,
  input  logic             run_i,
  input  logic [15:0]      tick_div_i,
  input  logic             wait_i,
  input  logic             start_i,
  input  logic             start_first_i,
  input  logic [SlotW-1:0] start_slot_i,
  input  logic [DueW-1:0]  start_due_i,
  output logic             name_o,
  output logic [SlotW-1:0] name_slot_o,
  input  logic [FlowW-1:0] name_flow_i,
  output logic             valid_o,
  input  logic             take_i,
  output logic [SlotW-1:0] slot_o,
  output logic [FlowW-1:0] flow_o,
  output logic [DueW-1:0]  due_o,
  output logic             late_o,
  output logic [31:0]      now_o,
  output logic [31:0]      lag_o,
  output logic             overrun_o,
  input  logic             overrun_clear_i,
  output logic [ReportW-1:0] wrong_start_o,
  output logic [ReportW-1:0] wrong_wheel_o
);
  assign init_done_o   = $anyseq;
  assign name_o        = $anyseq;
  assign name_slot_o   = $anyseq;
  assign valid_o       = $anyseq;
  assign slot_o        = $anyseq;
  assign flow_o        = $anyseq;
  assign due_o         = $anyseq;
  assign late_o        = $anyseq;
  assign now_o         = $anyseq;
  assign lag_o         = $anyseq;
  assign overrun_o     = $anyseq;
  assign wrong_start_o = $anyseq;
  assign wrong_wheel_o = $anyseq;
endmodule
