// The row of the pointer's tick while it is handed out, one word of the bitmap at a time.
//
// The lowest bit of the word is the expiry on offer, so a tick's expiries come in slot order. A bit is cleared when
// its expiry is taken or when a command withdraws it. While a command on the offered slot is under way the offer is
// hidden: the command was accepted first and wins.
module tw_current_row #(
  parameter int unsigned NumTimers = 1024,
  parameter int unsigned WordBits  = 32,
  localparam int unsigned SlotW    = $clog2(NumTimers),
  localparam int unsigned BitW     = $clog2(WordBits),
  localparam int unsigned NumWords = NumTimers / WordBits,
  localparam int unsigned WordW    = $clog2(NumWords)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,         // discards the row that is handed out
  input  logic                step_i,          // the pointer moves on, so the new row is not loaded
  // inputs: load of a word of the bitmap
  input  logic                load_i,
  input  logic [NumWords-1:0] load_summary_i,  // words of the row that have bits, the loaded word included
  input  logic [WordW-1:0]    load_word_i,
  input  logic [WordBits-1:0] load_bits_i,
  // inputs: a command withdraws the bit of a slot
  input  logic                busy_i,          // a command on slot_i is under way
  input  logic [SlotW-1:0]    slot_i,
  input  logic                drop_bit_i,      // clears the slot's bit in the current word
  input  logic                drop_word_i,     // the slot's word in the bitmap has become empty
  // outputs: state of the current row
  output logic                loaded_o,
  output logic [NumWords-1:0] summary_o,       // words of the row that are still in the bitmap
  output logic                bits_left_o,
  output logic                holds_word_o,    // the word of slot_i is the current word
  // outputs: the expiry on offer
  output logic                expire_valid_o,
  input  logic                expire_ready_i,
  output logic [SlotW-1:0]    expire_slot_o,
  // slot whose expiry was taken, valid until its record is updated
  output logic                retire_valid_o,
  output logic [SlotW-1:0]    retire_slot_o,
  input  logic                retire_done_i,
  input  logic                retire_skip_i    // a command on this slot takes over the update of its record
);
  logic                loaded_q;
  logic [NumWords-1:0] summary_q, summary_d;
  logic [WordW-1:0]    word_q;
  logic [WordBits-1:0] bits_q, bits_d;
  logic                retire_q;
  logic [SlotW-1:0]    retire_slot_q;

  logic [BitW-1:0] lowest;
  logic            any, fire;

  lowest_bit #(.Width(WordBits)) u_lowest (
    .bits_i (bits_q),
    .any_o  (any),
    .index_o(lowest)
  );

  assign expire_slot_o  = {word_q, lowest};
  assign expire_valid_o = any && !retire_q && !(busy_i && slot_i == expire_slot_o);
  assign fire           = expire_valid_o && expire_ready_i;

  assign loaded_o       = loaded_q;
  assign summary_o      = summary_q;
  assign bits_left_o    = any;
  assign holds_word_o   = any && word_q == slot_i[SlotW-1:BitW];
  assign retire_valid_o = retire_q;
  assign retire_slot_o  = retire_slot_q;

  always_comb begin
    bits_d    = bits_q;
    summary_d = summary_q;
    if (fire) bits_d[lowest] = 1'b0;
    if (drop_bit_i) bits_d[slot_i[BitW-1:0]] = 1'b0;
    if (drop_word_i) summary_d[slot_i[SlotW-1:BitW]] = 1'b0;
    if (load_i) begin
      bits_d                 = load_bits_i;
      summary_d              = load_summary_i;
      summary_d[load_word_i] = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loaded_q      <= 1'b0;
      summary_q     <= '0;
      word_q        <= '0;
      bits_q        <= '0;
      retire_q      <= 1'b0;
      retire_slot_q <= '0;
    end else if (clear_i) begin
      loaded_q  <= 1'b0;
      summary_q <= '0;
      bits_q    <= '0;
      retire_q  <= 1'b0;
    end else begin
      loaded_q  <= (loaded_q || load_i) && !step_i;
      summary_q <= summary_d;
      bits_q    <= bits_d;
      if (load_i) word_q <= load_word_i;
      if (fire) begin
        retire_q      <= !retire_skip_i;
        retire_slot_q <= expire_slot_o;
      end else if (retire_done_i) begin
        retire_q <= 1'b0;
      end
    end
  end
endmodule
