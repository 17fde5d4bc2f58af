// AXI4-Lite responses stay until they are taken; the block posts no packet beyond the pacer's depth.
// SPDX-License-Identifier: Apache-2.0
module dcc_app_block_sva (
  input logic        clk,
  input logic        rst_n,
  input logic        s_axil_app_ctrl_bvalid,
  input logic        s_axil_app_ctrl_bready,
  input logic [1:0]  s_axil_app_ctrl_bresp,
  input logic        s_axil_app_ctrl_rvalid,
  input logic        s_axil_app_ctrl_rready,
  input logic [1:0]  s_axil_app_ctrl_rresp,
  input logic [31:0] s_axil_app_ctrl_rdata,
  input logic        post_refused
);
  write_response: assert property (@(posedge clk) disable iff (!rst_n)
    s_axil_app_ctrl_bvalid && !s_axil_app_ctrl_bready |=> s_axil_app_ctrl_bvalid && $stable(s_axil_app_ctrl_bresp));
  read_response: assert property (@(posedge clk) disable iff (!rst_n)
    s_axil_app_ctrl_rvalid && !s_axil_app_ctrl_rready |=>
      s_axil_app_ctrl_rvalid && $stable({s_axil_app_ctrl_rresp, s_axil_app_ctrl_rdata}));
  posts_fit: assert property (@(posedge clk) disable iff (!rst_n) !post_refused);
endmodule

bind dcc_app_block dcc_app_block_sva u_sva (.*);
