// An arbitrary APB requester that keeps the protocol (IHI 0024, section 4), after one cycle of reset.
module apb_requester #(
  parameter int unsigned AddrW = 20
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             psel_i,
  input logic             penable_i,
  input logic             pready_i,
  input logic             pwrite_i,
  input logic [AddrW-1:0] paddr_i,
  input logic [31:0]      pwdata_i,
  input logic [3:0]       pstrb_i
);
  logic             begun_q = 1'b0;
  logic             rst_q, sel_q, enable_q, ready_q, write_q;
  logic [AddrW-1:0] addr_q;
  logic [31:0]      wdata_q;
  logic [3:0]       strb_q;
  always_ff @(posedge clk_i) begin
    begun_q  <= 1'b1;
    rst_q    <= rst_ni;
    sel_q    <= psel_i;
    enable_q <= penable_i;
    ready_q  <= pready_i;
    write_q  <= pwrite_i;
    addr_q   <= paddr_i;
    wdata_q  <= pwdata_i;
    strb_q   <= pstrb_i;
  end

  always_comb begin
    assume (rst_ni == begun_q);
    if (!rst_ni) assume (!psel_i);
    if (!psel_i || !rst_ni) assume (!penable_i);
    if (begun_q && rst_q) begin
      if (sel_q && !enable_q) assume (psel_i && penable_i);
      if (sel_q && enable_q && !ready_q) assume (psel_i && penable_i);
      if (sel_q && (!enable_q || !ready_q)) begin
        assume ((paddr_i == addr_q) && (pwrite_i == write_q) && (pstrb_i == strb_q));
        assume (pwdata_i == wdata_q);
      end
      if (!sel_q) assume (!penable_i);
      if (sel_q && enable_q && ready_q) assume (!penable_i);
    end else begin
      assume (!penable_i);
    end
  end
endmodule
