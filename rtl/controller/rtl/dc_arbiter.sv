// Issue: the first kind in order that has an event, unless an event of its flow was issued less than Distance ago.
// SPDX-License-Identifier: Apache-2.0
//
// The choice is made in every cycle; an issued event is in the first register of the pipeline in the next cycle.
module dc_arbiter #(
  parameter int unsigned FlowW = 14
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             hold_i,     // no event is issued
  input  logic [3:0]       valid_i,    // by kind
  input  logic [FlowW-1:0] cnp_flow_i,
  input  logic [FlowW-1:0] timer_flow_i,
  input  logic [FlowW-1:0] command_flow_i,
  input  logic [FlowW-1:0] bytes_flow_i,
  output logic [3:0]       issue_o,    // by kind, at most one bit
  output logic [1:0]       kind_o,     // the kind chosen
  output logic [FlowW-1:0] flow_o,
  output logic             quiet_o     // every issued event is written back
);
  localparam int unsigned Watched = dcc_controller_pkg::Distance - 1;

  always_comb begin
    if (valid_i[dcc_controller_pkg::KindCnp]) begin
      kind_o = dcc_controller_pkg::KindCnp;
      flow_o = cnp_flow_i;
    end else if (valid_i[dcc_controller_pkg::KindTimer]) begin
      kind_o = dcc_controller_pkg::KindTimer;
      flow_o = timer_flow_i;
    end else if (valid_i[dcc_controller_pkg::KindCommand]) begin
      kind_o = dcc_controller_pkg::KindCommand;
      flow_o = command_flow_i;
    end else begin
      kind_o = dcc_controller_pkg::KindBytes;
      flow_o = bytes_flow_i;
    end
  end

  // The flows issued in the last Watched cycles, the newest lowest; the valid bits go back one cycle more.
  logic [Watched:0]         busy_q;
  logic [Watched*FlowW-1:0] flows_q;
  logic [Watched-1:0]       same;
  logic                     issue;

  always_comb begin
    same = '0;
    if (valid_i != '0) begin  // saves simulation time
      for (int unsigned i = 0; i < Watched; i++) begin
        same[i] = busy_q[i] && flows_q[i*FlowW +: FlowW] == flow_o;
      end
    end
  end

  assign issue   = valid_i != '0 && same == '0 && !hold_i;
  assign issue_o = issue ? 4'b0001 << kind_o : 4'b0000;
  assign quiet_o = busy_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= '0;
    else busy_q <= {busy_q[Watched-1:0], issue};
  end

  always_ff @(posedge clk_i) flows_q <= {flows_q[(Watched-1)*FlowW-1:0], flow_o};
endmodule
