// One table of a cuckoo hash table: buckets of several entries, and a second copy of these buckets for changes.
// SPDX-License-Identifier: Apache-2.0
//
// A look-up and a change read in the same cycle, and a RAM has one read port, so each write goes to both copies.
module dc_cuckoo_table #(
  parameter int unsigned Buckets = 256,
  parameter int unsigned Width   = 108,  // bits per bucket of the hash table
  parameter int unsigned Secded  = 0,
  parameter int unsigned Number  = 0,    // number of the look-up copy in reports; the copy for changes has Number + 1
  localparam int unsigned BucketW = $clog2(Buckets),
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic               clk_i,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,  // pins of the RAMs (ram_pkg.sv)
  // look-ups: the bucket is read one cycle later
  input  logic               match_i,
  input  logic [BucketW-1:0] match_at_i,
  output logic [Width-1:0]   match_o,
  // changes: the bucket is read one cycle later
  input  logic               read_i,
  input  logic [BucketW-1:0] read_at_i,
  output logic [Width-1:0]   read_o,
  input  logic               use_i,      // the requester uses read_o in this cycle
  input  logic               write_i,
  input  logic [BucketW-1:0] write_at_i,
  input  logic [Width-1:0]   write_data_i,
  output logic [ReportW-1:0] report_o    // report on the words used in the previous cycle (ram_guarded.sv)
);
  logic                 match_q;
  logic [2*ReportW-1:0] reports;
  always_ff @(posedge clk_i) match_q <= match_i;
  ram_reports #(.ReportW(ReportW)) u_reports (.reports_i(reports), .report_o(report_o));

  ram_guarded #(.Depth(Buckets), .Width(Width), .Secded(Secded), .Number(Number)) u_match (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (match_i),
    .raddr_i(match_at_i),
    .rdata_o(match_o),
    .wen_i  (write_i),
    .waddr_i(write_at_i),
    .wdata_i(write_data_i),
    .use_i  (match_q),
    .report_o(reports[0 +: ReportW])
  );
  ram_guarded #(.Depth(Buckets), .Width(Width), .Secded(Secded), .Number(Number + 1)) u_change (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (read_i),
    .raddr_i(read_at_i),
    .rdata_o(read_o),
    .wen_i  (write_i),
    .waddr_i(write_at_i),
    .wdata_i(write_data_i),
    .use_i  (use_i),
    .report_o(reports[ReportW +: ReportW])
  );
endmodule
