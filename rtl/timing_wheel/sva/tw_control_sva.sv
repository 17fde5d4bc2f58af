// Steps of the wheel's state machine: no unintended step occurs, and each intended step is reachable.
// SPDX-License-Identifier: Apache-2.0
module tw_control_sva (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       clear_i,
  input logic [9:0] state     // one-hot state, bits in the order of the states
);
  localparam int unsigned Init = 0, Idle = 1, CmdDecide = 2, CmdRemove = 3, CmdPlace = 4, MoveOpen = 5, MoveRead = 6,
                          MovePlace = 7, LoadRead = 8, LoadTake = 9;

  function automatic logic meant(int unsigned from, int unsigned to);
    case (from)
      Init:      return to == Init || to == Idle;
      CmdDecide: return to == Idle || to == CmdRemove;
      CmdRemove: return to == Idle || to == CmdPlace;
      MoveOpen:  return to == MoveRead;
      MoveRead:  return to == MovePlace;
      LoadRead:  return to == LoadTake;
      // States in which a new operation is chosen; after LoadTake the loaded row has bits, so no other load follows.
      LoadTake:  return to == Idle || to == CmdDecide || to == MoveOpen || to == MoveRead;
      default:   return to == Idle || to == CmdDecide || to == MoveOpen || to == MoveRead || to == LoadRead ||
                        to == LoadTake;
    endcase
  endfunction

  logic [9:0] was_q;
  logic       cleared_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      was_q     <= '0;
      cleared_q <= 1'b0;
    end else begin
      was_q     <= state;
      cleared_q <= clear_i;
    end
  end

  for (genvar from = 0; from < 10; from++) begin : g_from
    for (genvar to = 0; to < 10; to++) begin : g_to
      if (meant(from, to)) begin : g_meant
        step: cover property (@(posedge clk_i) disable iff (!rst_ni) was_q[from] && state[to] && !cleared_q);
      end else begin : g_other
        no_step: assert property (@(posedge clk_i) disable iff (!rst_ni)
          was_q[from] && state[to] |-> cleared_q && to == Init);
      end
    end
  end
endmodule

bind tw_control tw_control_sva u_sva (
  .state({state_q == LoadTake, state_q == LoadRead, state_q == MovePlace, state_q == MoveRead, state_q == MoveOpen,
          state_q == CmdPlace, state_q == CmdRemove, state_q == CmdDecide, state_q == Idle, state_q == Init}), .*);
