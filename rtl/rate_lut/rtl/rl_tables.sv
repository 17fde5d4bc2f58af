// The six tables of the rate unit: RAMs with read ports for the stages of the pipeline, one write port for
// all tables, and the sweep that makes them neutral after reset.
//
// The decrease table lies in two banks, even and odd entries, so that an entry and the one after it
// are read in the same cycle. Entries of format 1.16 above 1.0 are stored as 1.0.
module rl_tables #(
  parameter int unsigned Secded = 0,  // 1: the tables correct one wrong bit (ram_guarded.sv)
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,  // pins of the RAMs (ram_pkg.sv)
  output logic        init_done_o,      // low while the tables are swept, 129 cycles

  // Write port; writes before init_done_o and beyond a table's entries are ignored.
  input  logic        write_i,
  input  logic [2:0]  write_table_i,
  input  logic [8:0]  write_index_i,
  input  logic [31:0] write_word_i,

  // Read ports: data one cycle after the strobe, then held.
  input  logic        factor_ren_i,
  input  logic [5:0]  factor_index_i,
  output logic [31:0] factor_o,

  input  logic        decay_ren_i,
  input  logic [5:0]  decay_hi_index_i,
  input  logic [5:0]  decay_lo_index_i,
  output logic [16:0] decay_hi_o,
  output logic [16:0] decay_lo_o,

  input  logic        decrease_ren_i,
  input  logic [8:0]  decrease_index_i,  // index of the decrease table, at most 256
  output logic [16:0] decrease_o,        // entry of the decrease table at the index
  output logic [16:0] decrease_next_o,   // entry after the index; without meaning for index 256

  input  logic        limits_ren_i,
  input  logic [5:0]  limits_index_i,
  output logic [31:0] floor_o,
  output logic [31:0] ceiling_o,

  output logic [ReportW-1:0] error_o     // report on words read two cycles ago (ram_guarded.sv); bit 0: one was wrong
);
  localparam int unsigned EvenEntries = (rate_lut_pkg::DecreaseEntries + 1) / 2;
  localparam int unsigned OddEntries  = rate_lut_pkg::DecreaseEntries / 2;

  // -- Sweep and writes -----------------------------------------------------------------------------
  logic [7:0] sweep_q;
  logic       sweeping;
  assign sweeping    = sweep_q != 8'(EvenEntries);
  assign init_done_o = !sweeping;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)       sweep_q <= '0;
    else if (sweeping) sweep_q <= sweep_q + 1'b1;
  end

  logic        in_64, write_64;
  logic        sweep_64;
  logic        factor_wen, floor_wen, ceiling_wen, decay_hi_wen, decay_lo_wen;
  logic        even_wen, odd_wen;
  logic        decrease_hit;
  logic [5:0]  waddr_64;
  logic [7:0]  waddr_even;
  logic [6:0]  waddr_odd;
  logic [16:0] fraction;

  assign in_64    = write_index_i < 9'd64;
  assign write_64 = write_i && in_64 && !sweeping;
  assign sweep_64 = sweeping && sweep_q < 8'd64;

  assign factor_wen   = sweep_64 || (write_64 && write_table_i == rate_lut_pkg::TableFactor);
  assign floor_wen    = sweep_64 || (write_64 && write_table_i == rate_lut_pkg::TableFloor);
  assign ceiling_wen  = sweep_64 || (write_64 && write_table_i == rate_lut_pkg::TableCeiling);
  assign decay_hi_wen = sweep_64 || (write_64 && write_table_i == rate_lut_pkg::TableDecayHi);
  assign decay_lo_wen = sweep_64 || (write_64 && write_table_i == rate_lut_pkg::TableDecayLo);

  assign decrease_hit = write_i && !sweeping && write_table_i == rate_lut_pkg::TableDecrease &&
                        write_index_i < 9'(rate_lut_pkg::DecreaseEntries);
  assign even_wen = sweeping || (decrease_hit && !write_index_i[0]);
  assign odd_wen  = (sweeping && sweep_q < 8'(OddEntries)) || (decrease_hit && write_index_i[0]);

  assign waddr_64   = sweeping ? sweep_q[5:0] : write_index_i[5:0];
  assign waddr_even = sweeping ? sweep_q : write_index_i[8:1];
  assign waddr_odd  = sweeping ? sweep_q[6:0] : write_index_i[7:1];
  assign fraction   = (sweeping || write_word_i > 32'(rate_lut_pkg::One16))
                      ? rate_lut_pkg::One16 : write_word_i[16:0];

  // -- Memories: all words are swept before they are read, so every word read is valid, except words
  //    beyond the end of the decrease table, whose depth is no power of two -------------------------
  logic       factor_q, decay_q, decrease_q, limits_q;
  logic [7*ReportW-1:0] reports;
  always_ff @(posedge clk_i) begin
    factor_q   <= factor_ren_i;
    decay_q    <= decay_ren_i;
    decrease_q <= decrease_ren_i && decrease_index_i < 9'(rate_lut_pkg::DecreaseEntries);
    limits_q   <= limits_ren_i;
  end
  ram_reports #(.Count(7), .ReportW(ReportW)) u_reports (.reports_i(reports), .report_o(error_o));

  ram_guarded #(.Depth(rate_lut_pkg::DscpEntries), .Width(32), .Secded(Secded), .Number(10)) u_factor (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (factor_ren_i),
    .raddr_i(factor_index_i),
    .rdata_o(factor_o),
    .wen_i  (factor_wen),
    .waddr_i(waddr_64),
    .wdata_i(sweeping ? rate_lut_pkg::NeutralFactor : write_word_i),
    .use_i  (factor_q),
    .report_o(reports[0*ReportW +: ReportW])
  );
  ram_guarded #(.Depth(rate_lut_pkg::DscpEntries), .Width(32), .Secded(Secded), .Number(11)) u_floor (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (limits_ren_i),
    .raddr_i(limits_index_i),
    .rdata_o(floor_o),
    .wen_i  (floor_wen),
    .waddr_i(waddr_64),
    .wdata_i(sweeping ? 32'h0000_0000 : write_word_i),
    .use_i  (limits_q),
    .report_o(reports[1*ReportW +: ReportW])
  );
  ram_guarded #(.Depth(rate_lut_pkg::DscpEntries), .Width(32), .Secded(Secded), .Number(12)) u_ceiling (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (limits_ren_i),
    .raddr_i(limits_index_i),
    .rdata_o(ceiling_o),
    .wen_i  (ceiling_wen),
    .waddr_i(waddr_64),
    .wdata_i(sweeping ? 32'hFFFF_FFFF : write_word_i),
    .use_i  (limits_q),
    .report_o(reports[2*ReportW +: ReportW])
  );
  ram_guarded #(.Depth(rate_lut_pkg::DecayEntries), .Width(17), .Secded(Secded), .Number(13)) u_decay_hi (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (decay_ren_i),
    .raddr_i(decay_hi_index_i),
    .rdata_o(decay_hi_o),
    .wen_i  (decay_hi_wen),
    .waddr_i(waddr_64),
    .wdata_i(fraction),
    .use_i  (decay_q),
    .report_o(reports[3*ReportW +: ReportW])
  );
  ram_guarded #(.Depth(rate_lut_pkg::DecayEntries), .Width(17), .Secded(Secded), .Number(14)) u_decay_lo (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (decay_ren_i),
    .raddr_i(decay_lo_index_i),
    .rdata_o(decay_lo_o),
    .wen_i  (decay_lo_wen),
    .waddr_i(waddr_64),
    .wdata_i(fraction),
    .use_i  (decay_q),
    .report_o(reports[4*ReportW +: ReportW])
  );

  // Entries i and i + 1 of the decrease table: for odd i the even bank is read at the next index.
  logic        odd_q;
  logic [16:0] even, odd;
  logic [7:0]  raddr_even;
  assign raddr_even = decrease_index_i[8:1] + 8'(decrease_index_i[0]);

  always_ff @(posedge clk_i) begin
    if (decrease_ren_i) odd_q <= decrease_index_i[0];
  end

  ram_guarded #(.Depth(EvenEntries), .Width(17), .Secded(Secded), .Number(15)) u_decrease_even (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (decrease_ren_i),
    .raddr_i(raddr_even),
    .rdata_o(even),
    .wen_i  (even_wen),
    .waddr_i(waddr_even),
    .wdata_i(fraction),
    .use_i  (decrease_q),
    .report_o(reports[5*ReportW +: ReportW])
  );
  ram_guarded #(.Depth(OddEntries), .Width(17), .Secded(Secded), .Number(16)) u_decrease_odd (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (decrease_ren_i),
    .raddr_i(decrease_index_i[7:1]),
    .rdata_o(odd),
    .wen_i  (odd_wen),
    .waddr_i(waddr_odd),
    .wdata_i(fraction),
    .use_i  (decrease_q),
    .report_o(reports[6*ReportW +: ReportW])
  );
  assign decrease_o      = odd_q ? odd : even;
  assign decrease_next_o = odd_q ? even : odd;
endmodule
