// One table of a cuckoo hash table: buckets of several entries, and a copy of them for changes.
// SPDX-License-Identifier: Apache-2.0
//
// Look-ups and changes read in the same cycle, and a RAM has one read port, so two copies are written together.
module dc_cuckoo_table #(
  parameter int unsigned Buckets = 256,
  parameter int unsigned Width   = 108,  // bits per bucket
  localparam int unsigned BucketW = $clog2(Buckets)
) (
  input  logic               clk_i,
  // look-ups, answered in the next cycle
  input  logic               match_i,
  input  logic [BucketW-1:0] match_at_i,
  output logic [Width-1:0]   match_o,
  // changes, answered in the next cycle
  input  logic               read_i,
  input  logic [BucketW-1:0] read_at_i,
  output logic [Width-1:0]   read_o,
  input  logic               use_i,      // read_o is used in this cycle
  input  logic               write_i,
  input  logic [BucketW-1:0] write_at_i,
  input  logic [Width-1:0]   write_data_i,
  output logic               error_o     // a word used in the previous cycle had wrong parity
);
  logic match_q, wrong_match, wrong_change;
  always_ff @(posedge clk_i) match_q <= match_i;
  assign error_o = wrong_match || wrong_change;

  ram_parity #(.Depth(Buckets), .Width(Width)) u_match (
    .clk_i  (clk_i),
    .ren_i  (match_i),
    .raddr_i(match_at_i),
    .rdata_o(match_o),
    .wen_i  (write_i),
    .waddr_i(write_at_i),
    .wdata_i(write_data_i),
    .use_i  (match_q),
    .error_o(wrong_match)
  );
  ram_parity #(.Depth(Buckets), .Width(Width)) u_change (
    .clk_i  (clk_i),
    .ren_i  (read_i),
    .raddr_i(read_at_i),
    .rdata_o(read_o),
    .wen_i  (write_i),
    .waddr_i(write_at_i),
    .wdata_i(write_data_i),
    .use_i  (use_i),
    .error_o(wrong_change)
  );
endmodule
