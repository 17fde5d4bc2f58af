// Properties of a memory with parity, for abc's pdr: the memory always reports a lost bit of a valid word, and reports
// no other error.
//
// The memory has four words of three bits in groups of two, over an array that loses bits (flipping_array.sv). A word
// is valid only after it was written, a rule that every user keeps. Properties from number 20 on are known to be
// false.
module parity_formal #(
  parameter int unsigned Property = 0
) (
  input  logic       clk_i,
  input  logic       ren_i,
  input  logic [1:0] raddr_i,
  input  logic       wen_i,
  input  logic [1:0] waddr_i,
  input  logic [2:0] wdata_i,
  input  logic       use_i,
  output logic       bad_o
);
  logic running;
  from_reset u_start (.clk_i(clk_i), .running_o(running));

  (* keep *) logic probe_flipped, probe_bypassed;  // the array's word lost a bit; the bypass returned another word
  logic [2:0] rdata, value_q;
  logic [2:0] shadow_q [4];
  logic [3:0] written_q;
  logic       sound_q, counts, wrong_q, used_q, error;  // sound_q: the word read had been written before
  assign counts = use_i && sound_q && running;

  ram_guarded #(.Depth(4), .Width(3), .Group(2)) u_ram (
    .clk_i  (clk_i),
    .ram_pins_i('0),
    .ren_i  (ren_i && running),
    .raddr_i(raddr_i),
    .rdata_o(rdata),
    .wen_i  (wen_i && running),
    .waddr_i(waddr_i),
    .wdata_i(wdata_i),
    .use_i  (counts),
    .report_o(error)
  );

  always_ff @(posedge clk_i or negedge running) begin
    if (!running) begin
      written_q <= '0;
      sound_q   <= 1'b0;
      wrong_q   <= 1'b0;
      used_q    <= 1'b0;
    end else begin
      if (wen_i) written_q[waddr_i] <= 1'b1;
      if (ren_i) sound_q <= written_q[raddr_i] || (wen_i && waddr_i == raddr_i);
      wrong_q <= counts && probe_flipped && !probe_bypassed;
      used_q  <= counts;
    end
  end
  always_ff @(posedge clk_i) begin
    if (wen_i) shadow_q[waddr_i] <= wdata_i;
    if (ren_i) value_q <= (wen_i && waddr_i == raddr_i) ? wdata_i : shadow_q[raddr_i];
  end

  always_comb begin
    unique case (Property)
      // The memory reports a lost bit in the next cycle.
      0: bad_o = running && wrong_q && !error;
      // The memory reports no error for an intact or an invalid word.
      1: bad_o = running && !wrong_q && error;
      // A word without a reported error equals the written word.
      2: bad_o = running && counts && rdata != value_q && !(probe_flipped && !probe_bypassed);
      // false_: the memory never reports an error.
      20: bad_o = running && error;
      // false_: the memory reports an error at every use of a word.
      21: bad_o = running && used_q && !error;
      default: bad_o = 1'b1;
    endcase
  end
endmodule
