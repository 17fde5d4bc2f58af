// Properties of the FIFO of the controller's inputs, for abc's pdr: no loss, no duplicate, order kept.
//
// The bench watches any one word that is pushed: its value and the number of words before it. The FIFO has depth 4 and
// two bits per word, since the FIFO does not interpret its words. Properties from number 20 on are known to be false.
module fifo_formal #(
  parameter int unsigned Property = 0
) (
  input  logic       clk_i,
  input  logic       clear_i,
  input  logic       push_i,
  input  logic [1:0] data_i,
  input  logic       pop_i,
  input  logic       watch_i,
  output logic       bad_o
);
  logic running;
  from_reset u_start (.clk_i(clk_i), .running_o(running));

  logic       full, valid, pop, put;
  logic [1:0] data;
  assign pop = pop_i && valid;
  assign put = push_i && !full && !clear_i;

  logic unused_error;
  dc_fifo #(.Depth(4), .Width(2)) u_fifo (
    .clk_i  (clk_i),
    .ram_pins_i('0),
    .rst_ni (running),
    .clear_i(clear_i),
    .push_i (push_i),
    .data_i (data_i),
    .full_o (full),
    .valid_o(valid),
    .data_o (data),
    .pop_i  (pop),
    .error_o(unused_error)
  );

  logic [2:0] inside_q, before;
  logic       watched;
  logic [1:0] value;
  always_ff @(posedge clk_i or negedge running) begin
    if (!running) inside_q <= '0;
    else inside_q <= clear_i ? '0 : inside_q + 3'(put) - 3'(pop);
  end
  watched_word u_watch (
    .clk_i    (clk_i),
    .rst_ni   (running),
    .clear_i  (clear_i),
    .watch_i  (watch_i),
    .put_i    (put),
    .value_i  (data_i),
    .take_i   (pop),
    .inside_i (inside_q),
    .watched_o(watched),
    .before_o (before),
    .value_o  (value)
  );

  always_comb begin
    unique case (Property)
      // The watched word leaves the FIFO with its value, after all words that were pushed before it.
      0: bad_o = running && watched && before == '0 && !(valid && data == value);
      // The FIFO offers a word exactly as long as it holds one.
      1: bad_o = running && valid != (inside_q != '0);
      // The FIFO has room for four words, and for one more in a cycle with a pop.
      2: bad_o = running && full != (inside_q == 3'd4 && !pop);
      // false_: the FIFO is never full.
      20: bad_o = running && full;
      // false_: a word stays in the FIFO until it is popped, even if the FIFO is cleared.
      21: bad_o = running && watched && clear_i;
      // false_: every word is popped at the latest in the cycle after its push.
      22: bad_o = running && watched && before == 3'd3;
      default: bad_o = 1'b1;
    endcase
  end
endmodule
