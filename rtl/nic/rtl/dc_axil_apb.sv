// AXI4-Lite to APB: one access at a time, reads and writes in turn when both wait.
// SPDX-License-Identifier: Apache-2.0
//
// A write begins when both its address and its data have arrived. All outputs to AXI4-Lite come from registers. An
// access that the APB slave refuses gets SLVERR.
module dc_axil_apb #(
  parameter int unsigned AddrW = 24
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // AXI4-Lite slave port
  input  logic             awvalid_i,
  output logic             awready_o,
  input  logic [AddrW-1:0] awaddr_i,
  input  logic [2:0]       awprot_i,
  input  logic             wvalid_i,
  output logic             wready_o,
  input  logic [31:0]      wdata_i,
  input  logic [3:0]       wstrb_i,
  output logic             bvalid_o,
  input  logic             bready_i,
  output logic [1:0]       bresp_o,
  input  logic             arvalid_i,
  output logic             arready_o,
  input  logic [AddrW-1:0] araddr_i,
  input  logic [2:0]       arprot_i,
  output logic             rvalid_o,
  input  logic             rready_i,
  output logic [31:0]      rdata_o,
  output logic [1:0]       rresp_o,
  // APB4 master port
  output logic             psel_o,
  output logic             penable_o,
  output logic             pwrite_o,
  output logic [AddrW-1:0] paddr_o,
  output logic [2:0]       pprot_o,
  output logic [31:0]      pwdata_o,
  output logic [3:0]       pstrb_o,
  input  logic             pready_i,
  input  logic [31:0]      prdata_i,
  input  logic             pslverr_i
);
  localparam logic [1:0] Okay   = 2'b00;
  localparam logic [1:0] SlvErr = 2'b10;

  // The register of an AXI4-Lite channel is empty while the channel's ready is 1.
  logic             aw_q, w_q, ar_q;
  logic [AddrW-1:0] awaddr_q, araddr_q;
  logic [2:0]       awprot_q, arprot_q;
  logic             psel_q, penable_q, pwrite_q, read_last_q, begin_write, begin_read, done, up_q;

  assign awready_o = up_q && !aw_q;
  assign wready_o  = up_q && !w_q;
  assign arready_o = up_q && !ar_q;

  assign begin_write = !psel_q && aw_q && w_q && !bvalid_o && !(ar_q && !rvalid_o && !read_last_q);
  assign begin_read  = !psel_q && ar_q && !rvalid_o && !begin_write;
  assign done        = psel_q && penable_q && pready_i;

  assign psel_o    = psel_q;
  assign penable_o = penable_q;
  assign pwrite_o  = pwrite_q;
  assign paddr_o   = pwrite_q ? awaddr_q : araddr_q;
  assign pprot_o   = pwrite_q ? awprot_q : arprot_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      up_q        <= 1'b0;
      aw_q        <= 1'b0;
      w_q         <= 1'b0;
      ar_q        <= 1'b0;
      psel_q      <= 1'b0;
      penable_q   <= 1'b0;
      pwrite_q    <= 1'b0;
      read_last_q <= 1'b0;
      bvalid_o    <= 1'b0;
      rvalid_o    <= 1'b0;
    end else begin
      up_q <= 1'b1;
      if (awvalid_i && awready_o) aw_q <= 1'b1;
      if (wvalid_i && wready_o) w_q <= 1'b1;
      if (arvalid_i && arready_o) ar_q <= 1'b1;
      if (bready_i) bvalid_o <= 1'b0;
      if (rready_i) rvalid_o <= 1'b0;
      if (begin_write || begin_read) begin
        psel_q      <= 1'b1;
        pwrite_q    <= begin_write;
        read_last_q <= begin_read;
      end
      if (psel_q) penable_q <= 1'b1;
      if (done) begin
        psel_q    <= 1'b0;
        penable_q <= 1'b0;
        if (pwrite_q) begin
          aw_q     <= 1'b0;
          w_q      <= 1'b0;
          bvalid_o <= 1'b1;
        end else begin
          ar_q     <= 1'b0;
          rvalid_o <= 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (awvalid_i && awready_o) begin
      awaddr_q <= awaddr_i;
      awprot_q <= awprot_i;
    end
    if (wvalid_i && wready_o) begin
      pwdata_o <= wdata_i;
      pstrb_o  <= wstrb_i;
    end
    if (arvalid_i && arready_o) begin
      araddr_q <= araddr_i;
      arprot_q <= arprot_i;
    end
    if (done && pwrite_q) bresp_o <= pslverr_i ? SlvErr : Okay;
    if (done && !pwrite_q) begin
      rdata_o <= prdata_i;
      rresp_o <= pslverr_i ? SlvErr : Okay;
    end
  end
endmodule
