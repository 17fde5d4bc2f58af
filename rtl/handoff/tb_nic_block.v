// Testbench of a NIC's application block: plays golden vectors and compares every output in every cycle. Outputs that
// their valid bit disqualifies do not count. Plain Verilog-2001.
//
//   iverilog -o tb tb_nic_block.v dcc_app_block.v && vvp tb +vectors=nic_block.vec
//
// vectors/README.md has the format of a line. Prints PASS, or ends with $fatal.
`timescale 1ns / 1ps
module tb_nic_block;
  // groups of pins, the first pin uppermost
  reg [610:0] in_tx;    // tvalid tlast tid tdest tuser tkeep tdata
  reg [674:0] in_rx;    // tvalid tlast tuser tkeep tdata
  reg [94:0]  in_axil;  // awvalid awprot awaddr wvalid wstrb wdata bready arvalid arprot araddr rready
  reg [147:0] in_rest;  // completion: valid tag ts; ready for tx, completions, rx; gpio
  reg [610:0] want_tx;
  reg [674:0] want_rx;
  reg [40:0]  want_axil;  // awready wready arready bvalid bresp rvalid rresp rdata
  reg [147:0] want_rest;  // ready for tx, completions, rx; completion: valid tag ts; gpio
  reg         clk, rst;

  wire         tx_valid, tx_last, rx_valid, rx_last, bvalid, rvalid, awready, wready, arready, cpl_valid;
  wire         tx_ready, cpl_ready, rx_ready;
  wire [11:0]  tx_id;
  wire [3:0]   tx_dest;
  wire [16:0]  tx_user;
  wire [63:0]  tx_keep, rx_keep;
  wire [511:0] tx_data, rx_data;
  wire [96:0]  rx_user;
  wire [1:0]   bresp, rresp;
  wire [31:0]  rdata, gpio;
  wire [15:0]  cpl_tag;
  wire [95:0]  cpl_ts;

  dcc_app_block dut (
    .clk(clk), .rst(rst),
    .s_axil_app_ctrl_awvalid(in_axil[94]), .s_axil_app_ctrl_awprot(in_axil[93:91]),
    .s_axil_app_ctrl_awaddr(in_axil[90:67]), .s_axil_app_ctrl_awready(awready),
    .s_axil_app_ctrl_wvalid(in_axil[66]), .s_axil_app_ctrl_wstrb(in_axil[65:62]),
    .s_axil_app_ctrl_wdata(in_axil[61:30]), .s_axil_app_ctrl_wready(wready),
    .s_axil_app_ctrl_bready(in_axil[29]), .s_axil_app_ctrl_bvalid(bvalid), .s_axil_app_ctrl_bresp(bresp),
    .s_axil_app_ctrl_arvalid(in_axil[28]), .s_axil_app_ctrl_arprot(in_axil[27:25]),
    .s_axil_app_ctrl_araddr(in_axil[24:1]), .s_axil_app_ctrl_arready(arready),
    .s_axil_app_ctrl_rready(in_axil[0]), .s_axil_app_ctrl_rvalid(rvalid), .s_axil_app_ctrl_rresp(rresp),
    .s_axil_app_ctrl_rdata(rdata),
    .s_axis_if_tx_tvalid(in_tx[610]), .s_axis_if_tx_tlast(in_tx[609]), .s_axis_if_tx_tid(in_tx[608:597]),
    .s_axis_if_tx_tdest(in_tx[596:593]), .s_axis_if_tx_tuser(in_tx[592:576]), .s_axis_if_tx_tkeep(in_tx[575:512]),
    .s_axis_if_tx_tdata(in_tx[511:0]), .s_axis_if_tx_tready(tx_ready),
    .m_axis_if_tx_tvalid(tx_valid), .m_axis_if_tx_tlast(tx_last), .m_axis_if_tx_tid(tx_id),
    .m_axis_if_tx_tdest(tx_dest), .m_axis_if_tx_tuser(tx_user), .m_axis_if_tx_tkeep(tx_keep),
    .m_axis_if_tx_tdata(tx_data), .m_axis_if_tx_tready(in_rest[34]),
    .s_axis_if_tx_cpl_valid(in_rest[147]), .s_axis_if_tx_cpl_tag(in_rest[146:131]),
    .s_axis_if_tx_cpl_ts(in_rest[130:35]), .s_axis_if_tx_cpl_ready(cpl_ready),
    .m_axis_if_tx_cpl_valid(cpl_valid), .m_axis_if_tx_cpl_tag(cpl_tag), .m_axis_if_tx_cpl_ts(cpl_ts),
    .m_axis_if_tx_cpl_ready(in_rest[33]),
    .s_axis_sync_rx_tvalid(in_rx[674]), .s_axis_sync_rx_tlast(in_rx[673]), .s_axis_sync_rx_tuser(in_rx[672:576]),
    .s_axis_sync_rx_tkeep(in_rx[575:512]), .s_axis_sync_rx_tdata(in_rx[511:0]), .s_axis_sync_rx_tready(rx_ready),
    .m_axis_sync_rx_tvalid(rx_valid), .m_axis_sync_rx_tlast(rx_last), .m_axis_sync_rx_tuser(rx_user),
    .m_axis_sync_rx_tkeep(rx_keep), .m_axis_sync_rx_tdata(rx_data), .m_axis_sync_rx_tready(in_rest[32]),
    .gpio_in(in_rest[31:0]), .gpio_out(gpio)
  );

`ifdef KNOWN
  dcc_app_block_known_sva u_known (
    .clk(clk), .rst(rst), .s_axil_app_ctrl_awready(awready), .s_axil_app_ctrl_wready(wready),
    .s_axil_app_ctrl_bresp(bresp), .s_axil_app_ctrl_bvalid(bvalid), .s_axil_app_ctrl_arready(arready),
    .s_axil_app_ctrl_rdata(rdata), .s_axil_app_ctrl_rresp(rresp), .s_axil_app_ctrl_rvalid(rvalid),
    .s_axis_if_tx_tready(tx_ready), .m_axis_if_tx_tdata(tx_data), .m_axis_if_tx_tkeep(tx_keep),
    .m_axis_if_tx_tvalid(tx_valid), .m_axis_if_tx_tlast(tx_last), .tx_side({tx_id, tx_dest, tx_user}),
    .s_axis_if_tx_cpl_ready(cpl_ready), .cpl({cpl_ts, cpl_tag}), .m_axis_if_tx_cpl_valid(cpl_valid),
    .s_axis_sync_rx_tready(rx_ready), .m_axis_sync_rx_tdata(rx_data), .m_axis_sync_rx_tkeep(rx_keep),
    .m_axis_sync_rx_tvalid(rx_valid), .m_axis_sync_rx_tlast(rx_last), .m_axis_sync_rx_tuser(rx_user),
    .gpio_out(gpio)
  );
`endif

  wire [610:0] tx = {tx_valid, tx_valid === 1'b0 ? 610'd0 : {tx_last, tx_id, tx_dest, tx_user, tx_keep, tx_data}};
  wire [674:0] rx = {rx_valid, rx_valid === 1'b0 ? 674'd0 : {rx_last, rx_user, rx_keep, rx_data}};
  wire [40:0]  axil = {awready, wready, arready, bvalid, bvalid === 1'b0 ? 2'd0 : bresp, rvalid,
                       rvalid === 1'b0 ? 34'd0 : {rresp, rdata}};
  wire [147:0] rest = {tx_ready, cpl_ready, rx_ready, cpl_valid, cpl_valid === 1'b0 ? 112'd0 : {cpl_tag, cpl_ts}, gpio};

  reg [8*256-1:0] path;
  reg [31:0]      cycles, groups;
  integer         file, n, line, wrong, total, i;

  task bad(input [8*40-1:0] what);
    begin
      wrong = wrong + 1;
      if (wrong <= 20) $display("line %0d, cycle %0d: %0s", line, total, what);
    end
  endtask

  initial begin
    clk = 0; rst = 0; wrong = 0; line = 0; total = 0;
    in_tx = 0; in_rx = 0; in_axil = 0; in_rest = 0; want_tx = 0; want_rx = 0; want_axil = 0; want_rest = 0;
    if (!$value$plusargs("vectors=%s", path)) path = "nic_block.vec";
    file = $fopen(path, "r");
    if (file == 0) $fatal(1, "FAIL: cannot read the vectors");
    n = $fscanf(file, "%h %h", cycles, groups);
    while (n == 2 && wrong < 100) begin
      line = line + 1;
      if (groups[0]) n = $fscanf(file, "%h", in_tx);
      if (groups[1]) n = $fscanf(file, "%h", in_rx);
      if (groups[2]) n = $fscanf(file, "%h", in_axil);
      if (groups[3]) n = $fscanf(file, "%h", in_rest);
      if (groups[4]) n = $fscanf(file, "%h", want_tx);
      if (groups[5]) n = $fscanf(file, "%h", want_rx);
      if (groups[6]) n = $fscanf(file, "%h", want_axil);
      if (groups[7]) n = $fscanf(file, "%h", want_rest);
      if (cycles == 0) begin  // a reset, with all inputs 0
        in_tx = 0; in_rx = 0; in_axil = 0; in_rest = 0;
        #1 rst = 1;
        for (i = 0; i < 5; i = i + 1) begin
          #1 clk = 1;
          #1 clk = 0;
        end
        #1 rst = 0;
      end
      for (i = 0; i < cycles; i = i + 1) begin
        #1;
        if (tx !== want_tx) bad("the transmit stream");
        if (rx !== want_rx) bad("the receive stream");
        if (axil !== want_axil) bad("the control port");
        if (rest !== want_rest) bad("readies, completions or gpio_out");
        #1 clk = 1;
        #2 clk = 0;
        total = total + 1;
      end
      n = $fscanf(file, "%h %h", cycles, groups);
    end
    if (wrong == 0 && total > 5000) begin
      $display("PASS: %0d cycles", total);
      $finish;
    end else $fatal(1, "FAIL: %0d differences in %0d cycles", wrong, total);
  end
endmodule
