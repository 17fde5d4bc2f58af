// Finds the least of several keys and its index by a tree of comparators. Of equal keys the lower index wins.
// SPDX-License-Identifier: Apache-2.0
module dc_least #(
  parameter int unsigned Count = 32,  // number of keys, a power of two, at least 2
  parameter int unsigned KeyW  = 32,
  localparam int unsigned IndexW = $clog2(Count)
) (
  input  logic                  use_i,   // the outputs are used in this cycle; saves simulation time
  input  logic [Count*KeyW-1:0] keys_i,  // key i is in bits KeyW i + KeyW - 1 … KeyW i
  output logic [KeyW-1:0]       key_o,
  output logic [IndexW-1:0]     index_o
);
  logic [Count*KeyW-1:0]   keys;
  logic [Count*IndexW-1:0] at;
  always_comb begin
    keys = keys_i;
    at   = '0;
    if (use_i) begin
      for (int unsigned i = 0; i < Count; i++) at[i*IndexW +: IndexW] = IndexW'(i);
      for (int unsigned k = 0; k < IndexW; k++) begin
        for (int unsigned i = 0; i < (Count >> (k + 1)); i++) begin
          if (keys[((2*i+1)<<k)*KeyW +: KeyW] < keys[((2*i)<<k)*KeyW +: KeyW]) begin
            keys[((2*i)<<k)*KeyW +: KeyW]    = keys[((2*i+1)<<k)*KeyW +: KeyW];
            at[((2*i)<<k)*IndexW +: IndexW] = at[((2*i+1)<<k)*IndexW +: IndexW];
          end
        end
      end
    end
  end
  assign key_o   = keys[KeyW-1:0];
  assign index_o = at[IndexW-1:0];
endmodule
