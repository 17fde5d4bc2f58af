// Register block, timing wheel and rate unit joined: the controller without its congestion manager.
//
// The congestion manager (flow table, parameter store, the three paths) is not part of this
// hand-off. It is connected here by four sides: the register values (reg2hw_o), the status and
// statistics it keeps (hw2reg_i; members that the top itself knows are replaced), the wheel's and
// the rate unit's handshakes, and the slot window of the register map.
module dcc_top #(
  parameter int unsigned Slots   = 1024,  // a power of two, 64 ... 4096
  parameter int unsigned Latency = 64,    // controller.latency, told by CAPS
  localparam int unsigned SlotW  = $clog2(Slots)
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // APB4, 1 MiB
  input  logic [19:0] paddr_i,
  input  logic [2:0]  pprot_i,
  input  logic        psel_i,
  input  logic        penable_i,
  input  logic        pwrite_i,
  input  logic [31:0] pwdata_i,
  input  logic [3:0]  pstrb_i,
  output logic        pready_o,
  output logic [31:0] prdata_o,
  output logic        pslverr_o,
  output logic        irq_o,  // level

  // The congestion manager's view of the registers
  output dcc_regs_pkg::dcc_reg2hw_t reg2hw_o,
  input  dcc_regs_pkg::dcc_hw2reg_t hw2reg_i,
  output logic        soft_reset_o,  // one cycle: release every slot, clear what was counted
  output logic        ready_o,       // memories are swept; nothing is taken before

  // Slot window: read-only for software; word = 8 * slot + word of the slot
  output logic        slot_read_o,  // held until slot_ready_i
  output logic [16:0] slot_addr_o,
  input  logic        slot_ready_i,
  input  logic [31:0] slot_rdata_i,

  // Timer: commands and expiries; see timing_wheel.sv
  output logic        tick_o,  // a tick begins
  input  logic        timer_valid_i,
  output logic        timer_ready_o,
  input  logic [1:0]  timer_op_i,
  input  logic [SlotW-1:0] timer_slot_i,
  input  logic [15:0] timer_delay_i,
  output logic        timer_done_o,
  output logic        timer_hit_o,
  output logic [16:0] timer_due_o,
  output logic        expire_valid_o,
  input  logic        expire_ready_i,
  output logic [SlotW-1:0] expire_slot_o,
  output logic [31:0] expire_due_o,

  // Rates: requests and responses; see rate_unit.sv
  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  logic        req_increase_i,
  input  logic [31:0] req_rc_i,
  input  logic [31:0] req_rt_i,
  input  logic [5:0]  req_dscp_i,
  input  logic [1:0]  req_stage_i,
  input  logic [16:0] req_alpha_i,
  input  logic [19:0] req_delta_i,
  input  logic [7:0]  req_marks_i,
  input  logic        req_first_i,
  output logic        rsp_valid_o,
  input  logic        rsp_ready_i,
  output logic        rsp_increase_o,
  output logic [31:0] rsp_rc_o,
  output logic [31:0] rsp_rt_o,
  output logic [16:0] rsp_alpha_o,
  output logic        rsp_at_maximum_o
);
  localparam int unsigned TopBits    = 5;
  localparam int unsigned MiddleBits = 5;
  localparam int unsigned LastBits   = 6;
  localparam logic [31:0] Caps = (32'(SlotW) << dcc_regs_pkg::CapsSlotsLog2Lsb) |
                                 (32'(Latency) << dcc_regs_pkg::CapsLatencyLsb) |
                                 (32'(TopBits) << dcc_regs_pkg::CapsWheelTopLsb) |
                                 (32'(MiddleBits) << dcc_regs_pkg::CapsWheelMiddleLsb) |
                                 (32'(LastBits) << dcc_regs_pkg::CapsWheelLastLsb);

  // -- Registers ------------------------------------------------------------------------------------
  dcc_regs_pkg::dcc_reg2hw_t reg2hw;
  dcc_regs_pkg::dcc_hw2reg_t hw2reg;
  logic [6:0]  win_sel;
  logic        win_write;
  logic [16:0] win_addr;
  logic [31:0] win_wdata;
  logic        win_ready;
  logic [31:0] win_rdata;

  dcc_regs_apb #(.Caps(Caps), .SlotsEntries(Slots)) u_regs (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .paddr_i    (paddr_i),
    .pprot_i    (pprot_i),
    .psel_i     (psel_i),
    .penable_i  (penable_i),
    .pwrite_i   (pwrite_i),
    .pwdata_i   (pwdata_i),
    .pstrb_i    (pstrb_i),
    .pready_o   (pready_o),
    .prdata_o   (prdata_o),
    .pslverr_o  (pslverr_o),
    .reg2hw_o   (reg2hw),
    .hw2reg_i   (hw2reg),
    .win_sel_o  (win_sel),
    .win_write_o(win_write),
    .win_addr_o (win_addr),
    .win_wdata_o(win_wdata),
    .win_ready_i(win_ready),
    .win_rdata_i(win_rdata),
    .irq_o      (irq_o)
  );
  assign reg2hw_o     = reg2hw;
  assign soft_reset_o = reg2hw.ctrl_soft_reset;

  // -- Windows: five tables by DSCP or n, the decrease table, the slots -------------------------------
  logic        tbl_valid, tbl_ready;
  logic [2:0]  tbl_table;
  logic [31:0] tbl_rdata;

  assign tbl_valid   = |win_sel[dcc_regs_pkg::DecreaseWindow:0];
  assign slot_read_o = win_sel[dcc_regs_pkg::SlotsWindow];
  assign slot_addr_o = win_addr;
  assign win_ready   = slot_read_o ? slot_ready_i : tbl_ready;
  assign win_rdata   = slot_read_o ? slot_rdata_i : tbl_rdata;

  always_comb begin
    tbl_table = rate_lut_pkg::TableFactor;
    if (win_sel[dcc_regs_pkg::FloorWindow])    tbl_table = rate_lut_pkg::TableFloor;
    if (win_sel[dcc_regs_pkg::CeilingWindow])  tbl_table = rate_lut_pkg::TableCeiling;
    if (win_sel[dcc_regs_pkg::DecayHiWindow])  tbl_table = rate_lut_pkg::TableDecayHi;
    if (win_sel[dcc_regs_pkg::DecayLoWindow])  tbl_table = rate_lut_pkg::TableDecayLo;
    if (win_sel[dcc_regs_pkg::DecreaseWindow]) tbl_table = rate_lut_pkg::TableDecrease;
  end

  // -- Ticks: TICK_DIV cycles each; a change of TICK_DIV begins the present tick anew ----------------
  logic [15:0] cycle_q, tick_div_q;
  logic        tick;
  assign tick   = cycle_q >= tick_div_q - 1'b1 && tick_div_q == reg2hw.tick_div;
  assign tick_o = tick;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycle_q    <= '0;
      tick_div_q <= 16'(dcc_regs_pkg::TickDivReset);
    end else begin
      tick_div_q <= reg2hw.tick_div;
      cycle_q    <= (tick || tick_div_q != reg2hw.tick_div) ? '0 : cycle_q + 1'b1;
    end
  end

  // -- Timing wheel -----------------------------------------------------------------------------------
  logic        wheel_done, overrun, overrun_q, soft_reset_q;
  logic [31:0] now, lag;

  timing_wheel #(
    .NumTimers (Slots),
    .TopBits   (TopBits),
    .MiddleBits(MiddleBits),
    .LastBits  (LastBits)
  ) u_wheel (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .clear_i         (reg2hw.ctrl_soft_reset),
    .init_done_o     (wheel_done),
    .tick_i          (tick),
    .cmd_valid_i     (timer_valid_i),
    .cmd_ready_o     (timer_ready_o),
    .cmd_op_i        (timer_op_i),
    .cmd_slot_i      (timer_slot_i),
    .cmd_delay_i     (timer_delay_i),
    .cmd_absolute_i  (1'b0),
    .cmd_at_i        ('0),
    .cmd_done_o      (timer_done_o),
    .cmd_hit_o       (timer_hit_o),
    .cmd_due_o       (timer_due_o),
    .expire_valid_o  (expire_valid_o),
    .expire_ready_i  (expire_ready_i),
    .expire_slot_o   (expire_slot_o),
    .expire_due_o    (expire_due_o),
    .now_o           (now),
    .lag_o           (lag),
    .overrun_o       (overrun),
    .overrun_clear_i (soft_reset_q),  // the lag is gone one cycle after the wheel is cleared
    .idle_o          (),  // skipping idle time is for simulation
    .next_due_valid_o(),
    .next_due_o      (),
    .advance_i       (1'b0),
    .advance_to_i    ('0),
    .busy_o          (),
    .move_o          ()
  );

  // Started = expired + cancelled + pending; a restart counts as one cancelled and one started.
  logic [1:0]  op_q;
  logic [63:0] started_q, cancelled_q;
  logic [14:0] pending_q;
  logic        started, cancelled, taken;
  assign started   = timer_done_o && op_q == timing_wheel_pkg::CmdStart;
  assign cancelled = timer_done_o && timer_hit_o &&
                     (op_q == timing_wheel_pkg::CmdStart || op_q == timing_wheel_pkg::CmdCancel);
  assign taken     = expire_valid_o && expire_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      op_q         <= timing_wheel_pkg::CmdRead;
      started_q    <= '0;
      cancelled_q  <= '0;
      pending_q    <= '0;
      overrun_q    <= 1'b0;
      soft_reset_q <= 1'b0;
    end else begin
      overrun_q    <= overrun;
      soft_reset_q <= reg2hw.ctrl_soft_reset;
      if (timer_valid_i && timer_ready_o) op_q <= timer_op_i;
      if (reg2hw.ctrl_soft_reset) begin
        started_q   <= '0;
        cancelled_q <= '0;
        pending_q   <= '0;
      end else begin
        started_q   <= started_q + 64'(started);
        cancelled_q <= cancelled_q + 64'(cancelled);
        pending_q   <= pending_q + 15'(started) - 15'(cancelled) - 15'(taken);
      end
    end
  end

  // -- Rate unit --------------------------------------------------------------------------------------
  rate_lut_pkg::regs_t rate_regs;
  logic                rate_done;
  assign rate_regs.g            = reg2hw.g;
  assign rate_regs.mi           = reg2hw.mi;
  assign rate_regs.r_ai         = reg2hw.r_ai;
  assign rate_regs.r_hai        = reg2hw.r_hai;
  assign rate_regs.r_min        = reg2hw.r_min;
  assign rate_regs.r_max        = reg2hw.r_max;
  assign rate_regs.alpha_recip  = reg2hw.alpha_recip;
  assign rate_regs.first_cut    = reg2hw.first_cut;
  assign rate_regs.mark_shift   = reg2hw.mark_shift;
  assign rate_regs.cut_by_marks = reg2hw.ctrl_cut_by_marks;
  assign rate_regs.averaging    = reg2hw.ctrl_averaging;

  rate_unit u_rate (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .init_done_o     (rate_done),
    .regs_i          (rate_regs),
    .req_valid_i     (req_valid_i),
    .req_ready_o     (req_ready_o),
    .req_increase_i  (req_increase_i),
    .req_rc_i        (req_rc_i),
    .req_rt_i        (req_rt_i),
    .req_dscp_i      (req_dscp_i),
    .req_stage_i     (req_stage_i),
    .req_alpha_i     (req_alpha_i),
    .req_delta_i     (req_delta_i),
    .req_marks_i     (req_marks_i),
    .req_first_i     (req_first_i),
    .rsp_valid_o     (rsp_valid_o),
    .rsp_ready_i     (rsp_ready_i),
    .rsp_increase_o  (rsp_increase_o),
    .rsp_rc_o        (rsp_rc_o),
    .rsp_rt_o        (rsp_rt_o),
    .rsp_alpha_o     (rsp_alpha_o),
    .rsp_at_maximum_o(rsp_at_maximum_o),
    .tbl_valid_i     (tbl_valid),
    .tbl_write_i     (win_write),
    .tbl_table_i     (tbl_table),
    .tbl_index_i     (win_addr[8:0]),
    .tbl_wdata_i     (win_wdata),
    .tbl_ready_o     (tbl_ready),
    .tbl_rdata_o     (tbl_rdata),
    .busy_o          ()
  );

  // -- What the top knows better than the manager -----------------------------------------------------
  assign ready_o = wheel_done && rate_done;

  always_comb begin
    hw2reg = hw2reg_i;
    hw2reg.status_ready          = wheel_done && rate_done;
    hw2reg.status_overrun        = overrun;
    hw2reg.irq_status_overrun    = overrun && !overrun_q;
    hw2reg.time_value            = now;
    hw2reg.timer_lag             = (lag > 32'h0000_FFFF) ? 16'hFFFF : lag[15:0];
    hw2reg.events_pending        = pending_q;
    hw2reg.stat_events_started   = started_q;
    hw2reg.stat_events_cancelled = cancelled_q;
  end
endmodule
