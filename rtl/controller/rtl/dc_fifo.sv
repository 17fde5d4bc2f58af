// A FIFO in RAM. An entry put into the empty FIFO is at the output in the next cycle.
// SPDX-License-Identifier: Apache-2.0
//
// The FIFO reads the next cycle's head in every cycle; if that word is written in the same cycle, the bypass of the
// RAM returns the word. A pop makes room for a push in the same cycle.
module dc_fifo #(
  parameter int unsigned Depth = 64,  // number of words, a power of two, at least 2
  parameter int unsigned Width = 32,
  parameter int unsigned Secded = 0,  // 1: the RAM has an error-correcting code (ram_guarded.sv)
  parameter int unsigned Number = 0,
  parameter int unsigned Early  = 0,
  localparam int unsigned AddrW = $clog2(Depth),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,  // pins of the RAMs (ram_pkg.sv)
  input  logic             clear_i,
  input  logic             push_i,   // push of data_i, ignored while full_o is 1
  input  logic [Width-1:0] data_i,
  output logic             full_o,
  output logic             valid_o,
  output logic [Width-1:0] data_o,
  input  logic             pop_i,    // removes the head; allowed only when valid_o is 1
  output logic [ReportW-1:0] error_o // report on the previous cycle's head (Early: this cycle's); bit 0: head wrong
);
  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : g_depth
    $fatal(1, "dc_fifo: Depth (dcc_top: CnpDepth, CommandDepth) must be a power of two, at least 2");
  end

  logic [AddrW-1:0] head_q, head_d, tail_q;
  logic [AddrW:0]   count_q;
  logic             push;

  assign full_o  = count_q == (AddrW + 1)'(Depth) && !pop_i;
  assign valid_o = count_q != '0;
  assign push    = push_i && !full_o;
  assign head_d  = clear_i ? '0 : head_q + AddrW'(pop_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      count_q <= '0;
    end else begin
      head_q  <= head_d;
      tail_q  <= clear_i ? '0 : tail_q + AddrW'(push);
      count_q <= clear_i ? '0 : count_q + (AddrW + 1)'(push) - (AddrW + 1)'(pop_i);
    end
  end

  ram_guarded #(.Depth(Depth), .Width(Width), .Secded(Secded), .Number(Number), .Early(Early)) u_ram (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (1'b1),
    .raddr_i(head_d),
    .rdata_o(data_o),
    .wen_i  (push),
    .waddr_i(tail_q),
    .wdata_i(data_i),
    .use_i  (valid_o),
    .report_o(error_o)
  );
endmodule
