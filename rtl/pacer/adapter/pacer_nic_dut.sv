// The pacer as a platform drives it: its pins, and outputs that show when cycles can be skipped.
//
// Rising edges of set_i and set_rare_i sample the inputs, so that Verilator evaluates the logic behind an input only
// when it changes, and the rest of the logic once per cycle. Internal signals are only read: the RTL is as shipped.
module pacer_nic_dut #(
  parameter int unsigned Flows = 1024,
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 4,
  localparam int unsigned FlowW  = $clog2(Flows),
  localparam int unsigned BytesW = dc_pacer_pkg::BytesW
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              set_i,       // samples posts, rates and want_i
  input  logic              set_rare_i,  // samples scale_i, slack_i and paused_i
  output logic              init_done_o,
  input  logic [dc_pacer_pkg::ScaleW-1:0] scale_i,
  input  logic [23:0]       slack_i,
  input  logic              post_valid_i,
  output logic              post_ready_o,
  input  logic [FlowW-1:0]  post_flow_i,
  input  logic [BytesW-1:0] post_bytes_i,
  output logic              post_refused_o,
  input  logic              rate_valid_i,
  output logic              rate_ready_o,
  input  logic [FlowW-1:0]  rate_flow_i,
  input  logic [31:0]       rate_i,
  input  logic [2:0]        rate_priority_i,
  input  logic [7:0]        paused_i,
  input  logic              want_i,
  output logic              sent_valid_o,
  output logic [FlowW-1:0]  sent_flow_o,
  output logic [BytesW-1:0] sent_bytes_o,
  output logic              strict_o,

  output logic                   quiet_o,    // only clocks and the sweep move
  output logic                   overdue_o,  // a candidate's deadline has passed
  output logic [Flows/Width-1:0] valid_o     // rows with a candidate
);
  logic              post_valid_q, rate_valid_q, want_q;
  logic [FlowW-1:0]  post_flow_q, rate_flow_q;
  logic [BytesW-1:0] post_bytes_q;
  logic [31:0]       rate_q;
  logic [2:0]        rate_priority_q;
  logic [7:0]        paused_q;
  logic [23:0]       slack_q;
  logic [dc_pacer_pkg::ScaleW-1:0] scale_q;

  always_ff @(posedge set_i) begin
    post_valid_q    <= post_valid_i;
    post_flow_q     <= post_flow_i;
    post_bytes_q    <= post_bytes_i;
    rate_valid_q    <= rate_valid_i;
    rate_flow_q     <= rate_flow_i;
    rate_q          <= rate_i;
    rate_priority_q <= rate_priority_i;
    want_q          <= want_i;
  end
  always_ff @(posedge set_rare_i) begin
    paused_q <= paused_i;
    slack_q  <= slack_i;
    scale_q  <= scale_i;
  end

  logic unused_report;
  dc_pacer #(.Flows(Flows), .Width(Width), .Depth(Depth)) u_pacer (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .init_done_o     (init_done_o),
    .scale_i         (scale_q),
    .slack_i         (slack_q),
    .post_valid_i    (post_valid_q),
    .post_ready_o    (post_ready_o),
    .post_flow_i     (post_flow_q),
    .post_bytes_i    (post_bytes_q),
    .post_refused_o  (post_refused_o),
    .rate_valid_i    (rate_valid_q),
    .rate_ready_o    (rate_ready_o),
    .rate_flow_i     (rate_flow_q),
    .rate_i          (rate_q),
    .rate_priority_i (rate_priority_q),
    .paused_i        (paused_q),
    .want_i          (want_q),
    .sent_valid_o    (sent_valid_o),
    .sent_flow_o     (sent_flow_o),
    .sent_bytes_o    (sent_bytes_o),
    .strict_o        (strict_o),
    .report_o        (unused_report)
  );

  // Quiet: no input, no operation and no late packet. An edge then advances only the clocks of the priorities, the
  // sweep over the rows and the count of calm cycles. The sweep finds the same candidates until a packet's start or
  // deadline passes.
  assign quiet_o   = init_done_o && !post_valid_q && !rate_valid_q && !u_pacer.issue && !sent_valid_o &&
                     !u_pacer.u_queues.posted_q && u_pacer.wakes_q == '0 && u_pacer.rate_ready &&
                     !u_pacer.run1_q && !u_pacer.run2_q && !u_pacer.run3_q && !u_pacer.run4_q &&
                     !u_pacer.hold && !u_pacer.heal_q && u_pacer.late == '0;
  assign overdue_o = u_pacer.overdue != '0;
  assign valid_o   = u_pacer.valid_q;
endmodule
