// Finds the packet of a row that must be sent first, and the priorities with a late packet in the row.
// SPDX-License-Identifier: Apache-2.0
module dc_pacer_row #(
  parameter int unsigned Width = 32,  // number of flows in a row
  localparam int unsigned IndexW = $clog2(Width),
  localparam int unsigned NearW  = dc_pacer_pkg::NearW,
  localparam int unsigned EntryW = 4 + 2 * NearW
) (
  input  logic                    use_i,
  input  logic [Width*EntryW-1:0] row_i,     // an entry per flow: packet waits, priority, start, deadline
  input  logic [8*NearW-1:0]      clocks_i,  // clocks of the eight priorities
  input  logic [7:0]              paused_i,
  input  logic                    strict_i,
  input  logic [NearW-1:0]        slack_i,
  output logic                    valid_o,
  output logic [IndexW-1:0]       index_o,
  output logic [EntryW-1:0]       entry_o,
  output logic [7:0]              late_o
);
  localparam int unsigned KeyW = 2 + 3 + NearW;  // key: {no packet waits, start not reached, priority, time}

  logic [Width*KeyW-1:0] keys;
  logic [KeyW-1:0]       least;

  logic [EntryW-1:0] entry;
  logic [2:0]        level;
  logic [NearW-1:0]  clock, to_start, to_deadline, lateness;
  logic              begun;
  always_comb begin
    keys        = '1;
    late_o      = '0;
    entry       = '0;
    level       = '0;
    clock       = '0;
    to_start    = '0;
    to_deadline = '0;
    lateness    = '0;
    begun       = 1'b0;
    if (use_i) begin
      for (int unsigned i = 0; i < Width; i++) begin
        entry       = row_i[i*EntryW +: EntryW];
        level       = entry[2*NearW +: 3];
        clock       = clocks_i[level*NearW +: NearW];
        to_start    = entry[NearW +: NearW] - clock;
        to_deadline = entry[NearW-1:0] - clock;
        lateness    = clock - entry[NearW-1:0];
        begun       = to_start == '0 || to_start[NearW-1];
        if (entry[EntryW-1] && !paused_i[level]) begin
          // Inverting the sign bit turns signed times into unsigned keys.
          keys[i*KeyW +: KeyW] = begun
            ? {2'b00, strict_i ? ~level : 3'd0, !to_deadline[NearW-1], to_deadline[NearW-2:0]}
            : {2'b01, 3'd0, !to_start[NearW-1], to_start[NearW-2:0]};
          if (!lateness[NearW-1] && lateness > slack_i) late_o[level] = 1'b1;
        end
      end
    end
  end

  dc_least #(.Count(Width), .KeyW(KeyW)) u_least (.use_i, .keys_i(keys), .key_o(least), .index_o);
  assign valid_o = !least[KeyW-1];
  assign entry_o = row_i[index_o*EntryW +: EntryW];
endmodule
