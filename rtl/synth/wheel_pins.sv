// Wrapper with few pins around the timing wheel, for place and route only (shift_pins.sv).
module wheel_pins #(
  parameter int unsigned NumTimers  = 256,
  parameter int unsigned TopBits    = 5,
  parameter int unsigned MiddleBits = 5,
  parameter int unsigned LastBits   = 6
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic bit_i,
  input  logic load_i,
  output logic bit_o
);
  localparam int unsigned SlotW = $clog2(NumTimers);
  localparam int unsigned InW   = 9 + SlotW + 16 + 32;
  localparam int unsigned OutW  = 156 + SlotW;

  logic [InW-1:0]  in_q;
  logic [OutW-1:0] out;
  shift_pins #(.InW(InW), .OutW(OutW)) u_pins (
    .clk_i (clk_i),
    .bit_i (bit_i),
    .load_i(load_i),
    .bit_o (bit_o),
    .unit_o(in_q),
    .unit_i(out)
  );

  timing_wheel #(
    .NumTimers(NumTimers), .TopBits(TopBits), .MiddleBits(MiddleBits), .LastBits(LastBits)
  ) u_wheel (
    .clk_i           (clk_i),
    .ram_pins_i      ('0),
    .rst_ni          (rst_ni),
    .clear_i         (in_q[0]),
    .tick_i          (in_q[1]),
    .cmd_valid_i     (in_q[2]),
    .cmd_op_i        (in_q[4:3]),
    .expire_ready_i  (in_q[5]),
    .overrun_clear_i (in_q[6]),
    .advance_i       (in_q[7]),
    .cmd_slot_i      (in_q[9 +: SlotW]),
    .cmd_delay_i     (in_q[9 + SlotW +: 16]),
    .advance_to_i    (in_q[25 + SlotW +: 32]),
    .init_done_o     (out[0]),
    .cmd_ready_o     (out[1]),
    .cmd_done_o      (out[2]),
    .cmd_hit_o       (out[3]),
    .expire_valid_o  (out[4]),
    .overrun_o       (out[5]),
    .idle_o          (out[6]),
    .next_due_valid_o(out[7]),
    .busy_o          (out[8]),
    .move_o          (out[9]),
    .cmd_due_o       (out[10 +: 17]),
    .expire_due_o    (out[27 +: 32]),
    .now_o           (out[59 +: 32]),
    .lag_o           (out[91 +: 32]),
    .next_due_o      (out[123 +: 32]),
    .error_o         (out[155]),
    .expire_slot_o   (out[156 +: SlotW])
  );
endmodule
