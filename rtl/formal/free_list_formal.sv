// The list of free slots: no slot given out twice, none lost, first come first served; for abc's pdr.
//
// Four slots. What the pipeline keeps: a slot is taken only when there is one, given back only while it
// is out; after a clear come the sweep of all slots and two cycles of rest. Property 20 and up are false.
module free_list_formal #(
  parameter int unsigned Property = 0
) (
  input  logic       clk_i,
  input  logic       clear_i,
  input  logic       take_i,
  input  logic       give_i,
  input  logic [1:0] give_slot_i,
  input  logic       watch_i,
  output logic       bad_o
);
  logic running;
  from_reset u_start (.clk_i(clk_i), .running_o(running));

  logic [2:0] sweep_q;  // 0 ... 3 swept, then rest, 6: ready
  logic       ready, clear, any, take, give;
  logic [1:0] slot;
  logic [2:0] count;
  logic [3:0] out_q;
  assign ready = sweep_q == 3'd6;
  assign clear = clear_i && ready;
  assign take  = take_i && any && ready && !clear;
  assign give  = give_i && out_q[give_slot_i] && ready && !clear;

  logic unused_error;
  dc_free_list #(.Slots(4)) u_list (
    .clk_i      (clk_i),
    .rst_ni     (running),
    .clear_i    (clear),
    .empty_i    (1'b0),
    .sweep_i    (!ready && sweep_q < 3'd4),
    .index_i    (sweep_q[1:0]),
    .any_o      (any),
    .slot_o     (slot),
    .take_i     (take),
    .give_i     (give),
    .give_slot_i(give_slot_i),
    .count_o    (count),
    .report_o   (unused_error)
  );

  logic [2:0] free, before;
  logic       watched;
  logic [1:0] value;
  assign free = 3'd4 - (3'(out_q[0]) + 3'(out_q[1]) + 3'(out_q[2]) + 3'(out_q[3]));
  always_ff @(posedge clk_i or negedge running) begin
    if (!running) begin
      sweep_q <= '0;
      out_q   <= '0;
    end else if (clear) begin
      sweep_q <= '0;
      out_q   <= '0;
    end else begin
      if (!ready) sweep_q <= sweep_q + 1'b1;
      if (take) out_q[slot] <= 1'b1;
      if (give) out_q[give_slot_i] <= 1'b0;
    end
  end
  // A slot that is given back, and how many go out before it.
  watched_word u_watch (
    .clk_i    (clk_i),
    .rst_ni   (running),
    .clear_i  (clear),
    .watch_i  (watch_i),
    .put_i    (give),
    .value_i  (give_slot_i),
    .take_i   (take),
    .inside_i (free),
    .watched_o(watched),
    .before_o (before),
    .value_o  (value)
  );

  always_comb begin
    unique case (Property)
      // No slot is given out while it is in use.
      0: bad_o = running && take && out_q[slot];
      // The count equals the number of slots not in use.
      1: bad_o = running && count != free;
      // The list offers a slot as long as one is not in use.
      2: bad_o = running && ready && any != (free != '0);
      // First come, first served.
      3: bad_o = running && ready && watched && before == '0 && slot != value;
      // false_: slot 3 is never reached.
      20: bad_o = running && take && slot == 2'd3;
      // false_: it never runs out.
      21: bad_o = running && ready && !any;
      // false_: slots go out in order of their numbers.
      22: bad_o = running && take && slot != 2'd0 && !out_q[slot - 2'd1];
      default: bad_o = 1'b1;
    endcase
  end
endmodule
