// Properties of the list of free slots for abc's pdr: the list hands out no slot twice, loses none, and is first-in
// first-out.
//
// The list has four slots. Assumptions on the pipeline: a slot is taken only when the list offers one, and returned
// only while it is in use; after a clear follow the sweep of all slots and two idle cycles. Properties from number 20
// on are known to be false.
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

  logic [2:0] sweep_q;  // 0 ... 3: slots are swept; 4, 5: idle; 6: ready
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
    .ram_pins_i('0),
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
  // Watches one returned slot, and the number of slots that the list hands out before it.
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
      // The list never hands out a slot that is in use.
      0: bad_o = running && take && out_q[slot];
      // The count equals the number of slots not in use.
      1: bad_o = running && count != free;
      // The list offers a slot exactly as long as a slot is not in use.
      2: bad_o = running && ready && any != (free != '0);
      // The list hands out slots in the order of their return.
      3: bad_o = running && ready && watched && before == '0 && slot != value;
      // false_: the list never hands out slot 3.
      20: bad_o = running && take && slot == 2'd3;
      // false_: the list never becomes empty.
      21: bad_o = running && ready && !any;
      // false_: the list hands out slots in the order of their numbers.
      22: bad_o = running && take && slot != 2'd0 && !out_q[slot - 2'd1];
      default: bad_o = 1'b1;
    endcase
  end
endmodule
