// Watcher for proofs of order: selects any one word that is put into a queue, and counts the words that leave before
// it.
module watched_word (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       clear_i,    // ends the watching of a word
  input  logic       watch_i,    // free input: watch the word put in now, unless a word is watched already
  input  logic       put_i,
  input  logic [1:0] value_i,
  input  logic       take_i,
  input  logic [2:0] inside_i,   // number of words in the queue before this cycle
  output logic       watched_o,
  output logic [2:0] before_o,   // number of words that leave before the watched one
  output logic [1:0] value_o     // value of the watched word
);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) watched_o <= 1'b0;
    else if (clear_i) watched_o <= 1'b0;
    else if (watched_o) watched_o <= !(take_i && before_o == '0);
    else watched_o <= put_i && watch_i;
  end

  always_ff @(posedge clk_i) begin
    before_o <= (watched_o ? before_o : inside_i) - 3'(take_i);
    if (!watched_o) value_o <= value_i;
  end
endmodule
