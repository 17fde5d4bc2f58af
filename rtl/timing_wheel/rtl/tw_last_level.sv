// Last level of the timing wheel: a bitmap in memory with a row for each tick and a bit for each slot.
//
// The bitmap has three layers: a flag for each row that has bits, a summary for each row of the words that have bits,
// and the words. Each layer qualifies the layer below, so neither memory needs initialising. The pointer's row is
// handed out word by word; a loaded word moves to tw_current_row and leaves the bitmap.
module tw_last_level #(
  parameter int unsigned NumTimers = 1024,
  parameter int unsigned LastBits  = 6,
  parameter int unsigned WordBits  = 32,
  parameter int unsigned Secded    = 0,  // 1: memories correct bits (ram_guarded.sv)
  localparam int unsigned SlotW    = $clog2(NumTimers),
  localparam int unsigned BitW     = $clog2(WordBits),
  localparam int unsigned NumWords = NumTimers / WordBits,
  localparam int unsigned WordW    = $clog2(NumWords),
  localparam int unsigned RowW     = LastBits + 1,
  localparam int unsigned NumRows  = 1 << RowW,
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,  // pins of the RAMs (ram_pkg.sv)
  input  logic               clear_i,         // empties all rows of the bitmap
  input  logic [RowW-1:0]    current_i,       // number of the row of the pointer's tick
  input  logic               step_i,          // the pointer moves to the next tick
  // read of a word and its row's summary: data in the next cycle
  input  logic               read_i,
  input  logic [RowW-1:0]    read_row_i,
  input  logic [WordW-1:0]   read_word_i,
  // changes of slot_i's bit, whose word was read in the previous cycle
  input  logic [SlotW-1:0]   slot_i,
  input  logic               put_i,
  input  logic [RowW-1:0]    put_row_i,
  input  logic               take_i,
  input  logic [RowW-1:0]    take_row_i,
  input  logic               hide_i,          // a command is under way on slot_i, so this slot is not offered
  // load of the current tick's row: its summary is read, then one of its words, whose lowest bit is then offered
  input  logic               load_begin_i,
  input  logic               load_read_i,     // the summary is valid, unless loaded_o is 1
  input  logic               load_take_i,     // the word of the row has been read
  output logic               loaded_o,        // the row's summary has been fetched
  output logic               want_load_o,     // no offer, but the row has more words
  output logic               row_done_o,      // the row has no offer and no more words
  output logic [NumRows-1:0] row_used_o,      // rows that have bits, except a loaded row
  // expiries: the lowest bit of the current row
  output logic               expire_valid_o,
  input  logic               expire_ready_i,
  output logic [SlotW-1:0]   expire_slot_o,
  // slot whose expiry was taken, valid until its record is updated
  output logic               retire_valid_o,
  output logic [SlotW-1:0]   retire_slot_o,
  input  logic               retire_done_i,
  input  logic               retire_skip_i,   // a command on this slot takes over the update of its record
  output logic [ReportW-1:0] error_o          // report on the words used in the previous cycle (ram_guarded.sv)
);
  localparam int unsigned LeafW = RowW + WordW;

  logic                summary_ren, summary_wen, leaf_ren, leaf_wen;
  logic                summary_use, leaf_use;
  logic [2*ReportW-1:0] reports;
  logic [RowW-1:0]     summary_raddr, summary_waddr;
  logic [NumWords-1:0] summary_rdata, summary_wdata;
  logic [LeafW-1:0]    leaf_raddr, leaf_waddr;
  logic [WordBits-1:0] leaf_rdata, leaf_wdata;

  ram_guarded #(.Depth(NumRows), .Width(NumWords), .Secded(Secded), .Number(27)) u_summary (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (summary_ren),
    .raddr_i(summary_raddr),
    .rdata_o(summary_rdata),
    .wen_i  (summary_wen),
    .waddr_i(summary_waddr),
    .wdata_i(summary_wdata),
    .use_i  (summary_use),
    .report_o(reports[0 +: ReportW])
  );
  ram_guarded #(.Depth(NumRows * NumWords), .Width(WordBits), .Secded(Secded), .Number(28)) u_leaf (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (leaf_ren),
    .raddr_i(leaf_raddr),
    .rdata_o(leaf_rdata),
    .wen_i  (leaf_wen),
    .waddr_i(leaf_waddr),
    .wdata_i(leaf_wdata),
    .use_i  (leaf_use),
    .report_o(reports[ReportW +: ReportW])
  );

  logic [NumRows-1:0] row_used_q, row_used_d;
  logic [WordW-1:0]   slot_word;
  logic [BitW-1:0]    slot_bit;
  assign slot_word  = slot_i[SlotW-1:BitW];
  assign slot_bit   = slot_i[BitW-1:0];
  assign row_used_o = row_used_q;

  // ---------------------------------------------------------------------------------------------
  // The row being handed out
  // ---------------------------------------------------------------------------------------------
  logic [NumWords-1:0] load_summary_q, row_summary, load_from;
  logic [WordW-1:0]    load_word_q, load_first;
  logic                row_bits_left, row_holds_word, row_drop_bit, row_drop_word, load_any;

  tw_current_row #(.NumTimers(NumTimers), .WordBits(WordBits)) u_row (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .clear_i       (clear_i),
    .step_i        (step_i),
    .load_i        (load_take_i),
    .load_summary_i(load_summary_q),
    .load_word_i   (load_word_q),
    .load_bits_i   (leaf_rdata),
    .busy_i        (hide_i),
    .slot_i        (slot_i),
    .drop_bit_i    (row_drop_bit),
    .drop_word_i   (row_drop_word),
    .loaded_o      (loaded_o),
    .summary_o     (row_summary),
    .bits_left_o   (row_bits_left),
    .holds_word_o  (row_holds_word),
    .expire_valid_o(expire_valid_o),
    .expire_ready_i(expire_ready_i),
    .expire_slot_o (expire_slot_o),
    .retire_valid_o(retire_valid_o),
    .retire_slot_o (retire_slot_o),
    .retire_done_i (retire_done_i),
    .retire_skip_i (retire_skip_i)
  );

  assign load_from = load_read_i ? summary_rdata : row_summary;
  lowest_bit #(.Width(NumWords)) u_load_first (
    .bits_i (load_from),
    .any_o  (load_any),
    .index_o(load_first)
  );
  assign row_done_o  = !row_bits_left && !load_take_i &&
                       (loaded_o ? row_summary == '0 : !row_used_q[current_i]);
  assign want_load_o = !row_bits_left && !load_take_i && !row_done_o;

  assign summary_ren   = read_i || load_begin_i;
  assign summary_raddr = load_begin_i ? current_i : read_row_i;
  assign leaf_ren      = read_i || load_begin_i || load_read_i;
  assign leaf_raddr    = (load_begin_i || load_read_i) ? {current_i, load_first}
                                                       : {read_row_i, read_word_i};

  always_ff @(posedge clk_i) begin
    if (load_begin_i || load_read_i) begin
      load_summary_q <= load_from;
      load_word_q    <= load_first;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Insertion and removal of a bit
  // ---------------------------------------------------------------------------------------------
  logic                take_current;  // the bit belongs to the row that is being handed out
  logic                put_leaf_used; // the word to which put adds a bit already has bits
  logic [NumWords-1:0] put_summary, take_summary;
  logic [WordBits-1:0] put_leaf, take_leaf;
  assign take_current = loaded_o && take_row_i == current_i;

  always_comb begin
    put_summary             = row_used_q[put_row_i] ? summary_rdata : '0;
    put_leaf_used           = put_summary[slot_word];
    put_leaf                = put_leaf_used ? leaf_rdata : '0;
    put_summary[slot_word]  = 1'b1;
    put_leaf[slot_bit]      = 1'b1;
    take_leaf               = leaf_rdata;
    take_leaf[slot_bit]     = 1'b0;
    take_summary            = summary_rdata;
    take_summary[slot_word] = take_leaf != '0;
  end

  assign row_drop_bit  = take_i && take_current && row_holds_word;
  assign row_drop_word = take_i && take_current && !row_holds_word && take_leaf == '0;

  assign summary_wen   = put_i || (take_i && !take_current);
  assign summary_waddr = take_i ? take_row_i : put_row_i;
  assign summary_wdata = take_i ? take_summary : put_summary;
  assign leaf_wen      = put_i || (take_i && !(take_current && row_holds_word));
  assign leaf_waddr    = {take_i ? take_row_i : put_row_i, slot_word};
  assign leaf_wdata    = take_i ? take_leaf : put_leaf;

  // Words in use: words that the layer above marks as present and that are not loaded yet.
  assign summary_use = load_read_i || (put_i && row_used_q[put_row_i]) || (take_i && !take_current);
  assign leaf_use    = load_take_i || (put_i && put_leaf_used) ||
                       (take_i && !(take_current && row_holds_word));
  ram_reports #(.ReportW(ReportW)) u_reports (.reports_i(reports), .report_o(error_o));

  always_comb begin
    row_used_d = row_used_q;
    if (load_take_i) row_used_d[current_i] = 1'b0;
    if (take_i && !take_current && take_summary == '0) row_used_d[take_row_i] = 1'b0;
    if (put_i) row_used_d[put_row_i] = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) row_used_q <= '0;
    else row_used_q <= clear_i ? '0 : row_used_d;
  end

  logic unused_load_any;
  assign unused_load_any = load_any;
endmodule
