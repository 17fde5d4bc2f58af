// Properties of the controller's register block, one at a time, for every APB requester that keeps the protocol.
// run.py proves the true properties and refutes the false ones.
module regs_formal #(
  parameter int unsigned Prop = 0
) (
  input logic                      clk_i,
  input logic                      rst_ni,
  input logic [19:0]               paddr_i,
  input logic [2:0]                pprot_i,
  input logic                      psel_i,
  input logic                      penable_i,
  input logic                      pwrite_i,
  input logic [31:0]               pwdata_i,
  input logic [3:0]                pstrb_i,
  input dcc_regs_pkg::dcc_hw2reg_t hw2reg_i,
  input logic                      win_ready_i,
  input logic [31:0]               win_rdata_i
);
  localparam int unsigned Slots = 16;

  logic                      pready, pslverr, win_write, irq;
  logic [31:0]               prdata, win_wdata;
  logic [6:0]                win_sel;
  logic [16:0]               win_addr;
  dcc_regs_pkg::dcc_reg2hw_t reg2hw;

  dcc_regs_apb #(.SlotsEntries(Slots)) u_regs (
    .clk_i, .rst_ni, .paddr_i, .pprot_i, .psel_i, .penable_i, .pwrite_i, .pwdata_i, .pstrb_i,
    .pready_o(pready), .prdata_o(prdata), .pslverr_o(pslverr),
    .reg2hw_o(reg2hw), .hw2reg_i,
    .win_sel_o(win_sel), .win_write_o(win_write), .win_addr_o(win_addr), .win_wdata_o(win_wdata),
    .win_ready_i, .win_rdata_i, .irq_o(irq)
  );

  // -- The cycle before ---------------------------------------------------------
  logic        past_valid_q = 1'b0;
  logic        sel_q, enable_q, write_q, ready_q, slverr_q, rst_q;
  logic [19:0] addr_q;
  logic [31:0] wdata_q;
  logic [3:0]  strb_q;
  logic [6:0]  win_sel_q;
  logic [16:0] win_addr_q;
  logic        win_ready_q;
  logic [31:0] rdata_q;
  dcc_regs_pkg::dcc_reg2hw_t reg2hw_q;
  always_ff @(posedge clk_i) begin
    past_valid_q <= 1'b1;
    rst_q        <= rst_ni;
    sel_q        <= psel_i;
    enable_q     <= penable_i;
    write_q      <= pwrite_i;
    addr_q       <= paddr_i;
    wdata_q      <= pwdata_i;
    strb_q       <= pstrb_i;
    ready_q      <= pready;
    slverr_q     <= pslverr;
    rdata_q      <= prdata;
    win_sel_q    <= win_sel;
    win_addr_q   <= win_addr;
    win_ready_q  <= win_ready_i;
    reg2hw_q     <= reg2hw;
  end
  logic past;  // this cycle and the previous one are out of reset
  assign past = past_valid_q & rst_q & rst_ni;
  logic accepted_q;  // an access ended without an error in the previous cycle
  assign accepted_q = sel_q & enable_q & ready_q & ~slverr_q;

  apb_requester #(.AddrW(20)) u_requester (
    .clk_i(clk_i), .rst_ni(rst_ni), .psel_i(psel_i), .penable_i(penable_i), .pready_i(pready),
    .pwrite_i(pwrite_i), .paddr_i(paddr_i), .pwdata_i(pwdata_i), .pstrb_i(pstrb_i)
  );

  // Value last written to R_AI, derived from the bus signals alone.
  logic [31:0] r_ai_q;
  logic        bad_address;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) r_ai_q <= dcc_regs_pkg::RAiReset;
    else if (psel_i && penable_i && pready && !pslverr && pwrite_i
             && (paddr_i == dcc_regs_pkg::RAiOffset)) r_ai_q <= pwdata_i;
  end

  // Value of a counter's high half at the read of its low half, as long as no other access follows.
  logic [31:0] high_q;
  logic        high_valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      high_q       <= 32'd0;
      high_valid_q <= 1'b0;
    end else if (psel_i && !penable_i && !pwrite_i) begin
      if (paddr_i == dcc_regs_pkg::StatCnpsReceivedLoOffset) begin
        high_q       <= hw2reg_i.stat_cnps_received[63:32];
        high_valid_q <= 1'b1;
      end else if ((paddr_i[19:12] == 8'h03) && !paddr_i[2]) begin
        high_valid_q <= 1'b0;  // the read may concern another counter's low half
      end
    end
  end

  // Write enables derived from the bus signals, and their values of the previous cycle. If the hardware reports a
  // fault when an access is set up, the locks of tables and CTRL are open.
  logic open_q, open_before_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q        <= 1'b0;
      open_before_q <= 1'b0;
    end else begin
      open_before_q <= open_q;
      if (psel_i && !penable_i) open_q <= hw2reg_i.status_fault;
    end
  end
  logic [2:0] regwen_q, regwen_before_q;
  logic       lock;
  assign lock = psel_i && penable_i && pready && !pslverr && pwrite_i
                && (paddr_i == dcc_regs_pkg::RegwenOffset);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      regwen_q        <= 3'b111;
      regwen_before_q <= 3'b111;
    end else begin
      regwen_before_q <= regwen_q;
      if (lock) regwen_q <= regwen_q & pwdata_i[2:0];
    end
  end

  // Register values that the block passes to the hardware, except those of CTRL, now and in the previous cycle.
  dcc_regs_pkg::dcc_reg2hw_t parameters, parameters_q;
  always_comb begin
    parameters                      = reg2hw;
    parameters.ctrl_enable          = 1'b0;
    parameters.ctrl_soft_reset      = 1'b0;
    parameters.ctrl_timer_restart   = 1'b0;
    parameters.ctrl_law       = 1'b0;
    parameters.ctrl_cut_by_marks    = 1'b0;
    parameters.ctrl_byte_counter    = 1'b0;
    parameters.ctrl_keep_target     = 1'b0;
    parameters_q                    = reg2hw_q;
    parameters_q.ctrl_enable        = 1'b0;
    parameters_q.ctrl_soft_reset    = 1'b0;
    parameters_q.ctrl_timer_restart = 1'b0;
    parameters_q.ctrl_law     = 1'b0;
    parameters_q.ctrl_cut_by_marks  = 1'b0;
    parameters_q.ctrl_byte_counter  = 1'b0;
    parameters_q.ctrl_keep_target   = 1'b0;
  end

  // The address is misaligned, or far from every mapped address.
  assign bad_address = (paddr_i[1:0] != 2'd0)
                     | ((paddr_i[19:14] != 6'd0) & (paddr_i[19:14] != 6'd32))
                     | ((paddr_i[19:14] == 6'd32) & (paddr_i[13:5] >= 9'(Slots)));

  logic held;
  always_comb begin
    held = 1'b1;
    case (Prop)
      // Properties that must hold in every state.
      0: held = !pslverr || (psel_i && penable_i && pready);
      1: held = !(psel_i && penable_i && (win_sel == 7'd0)) || pready;
      2: held = (win_sel & (win_sel - 7'd1)) == 7'd0;
      3: held = !(past && (win_sel_q != 7'd0) && !win_ready_q)
                || ((win_sel == win_sel_q) && (win_addr == win_addr_q));
      4: held = !(psel_i && penable_i && bad_address) || (pslverr && (win_sel == 7'd0));
      5: held = !(psel_i && penable_i && pwrite_i && (pstrb_i != 4'hF))
                || (pslverr && (win_sel == 7'd0));
      6: held = !past || (reg2hw == reg2hw_q) || (accepted_q && write_q)
                || (reg2hw.ctrl_soft_reset != reg2hw_q.ctrl_soft_reset);
      7: held = !past || !reg2hw.ctrl_soft_reset
                || (accepted_q && write_q && (addr_q == dcc_regs_pkg::CtrlOffset) && wdata_q[1]);
      8: held = (reg2hw.mark_shift <= 4'd10) && (reg2hw.initial_alpha <= 17'd65536)
                && (reg2hw.first_cut <= 17'd65536) && (reg2hw.cut_floor <= 17'd65536);
      9: held = !past_valid_q || ((reg2hw.tick_div >= 16'd4) && (reg2hw.timer_interval >= 16'd1)
                && (reg2hw.byte_threshold >= 32'd64) && (reg2hw.r_min >= 32'd1)
                && (reg2hw.alpha_recip >= 32'h00100000));
      10: held = reg2hw.r_ai == r_ai_q;
      11: held = !(psel_i && penable_i && pready && !pslverr && !pwrite_i
                   && (paddr_i == dcc_regs_pkg::RAiOffset)) || (prdata == r_ai_q);
      12: held = !(psel_i && penable_i && pready && !pwrite_i && high_valid_q
                   && (paddr_i == dcc_regs_pkg::StatCnpsReceivedHiOffset)) || (prdata == high_q);
      13: held = !(psel_i && penable_i && pwrite_i && (paddr_i[19:12] == 8'h03)) || pslverr;
      14: held = !(win_sel[6] && win_write);  // the slots window is read-only
      15: held = !win_sel[5] || (win_addr <= 17'd256);
      16: held = !win_sel[6] || (win_addr < 17'(Slots * 8));
      17: held = !((win_sel != 7'd0) && win_write && win_sel[5] && (win_wdata[16:0] > 17'd65536));
      18: held = !past || regwen_before_q[0] || (parameters == parameters_q);
      19: held = !past || regwen_before_q[2] || open_before_q
                 || (!reg2hw.ctrl_soft_reset && (reg2hw.ctrl_enable == reg2hw_q.ctrl_enable)
                     && (reg2hw.ctrl_timer_restart == reg2hw_q.ctrl_timer_restart)
                     && (reg2hw.ctrl_law == reg2hw_q.ctrl_law)
                     && (reg2hw.ctrl_cut_by_marks == reg2hw_q.ctrl_cut_by_marks)
                     && (reg2hw.ctrl_byte_counter == reg2hw_q.ctrl_byte_counter)
                     && (reg2hw.ctrl_keep_target == reg2hw_q.ctrl_keep_target));
      20: held = regwen_q[1] || open_q || !((win_sel[5:0] != 6'd0) && win_write);
      21: held = !(psel_i && penable_i && pready && !pslverr && !pwrite_i
                   && (paddr_i == dcc_regs_pkg::RegwenOffset)) || (prdata == 32'(regwen_q));
      22: held = !(psel_i && penable_i && pready && pwrite_i && !regwen_q[0]
                   && (paddr_i == dcc_regs_pkg::RAiOffset)) || pslverr;
      // Properties that must fail: pdr must find a counterexample to each.
      100: held = !pslverr;
      101: held = pready || !psel_i || !penable_i;
      102: held = !reg2hw.ctrl_soft_reset;
      103: held = reg2hw.mark_shift <= 4'd9;
      104: held = reg2hw.r_ai != 32'h12345678;
      105: held = !irq;
      106: held = !(win_sel[6] && (win_addr == 17'(Slots * 8 - 1)));
      107: held = !past || (reg2hw == reg2hw_q);
      108: held = !(psel_i && penable_i && !pwrite_i
                    && (paddr_i == dcc_regs_pkg::StatCnpsReceivedHiOffset)) || (prdata == 32'd0);
      109: held = regwen_q == 3'b111;
      110: held = !(psel_i && penable_i && pready && pslverr && pwrite_i && (pstrb_i == 4'hF)
                    && (paddr_i == dcc_regs_pkg::FactorOffset));
      default: held = 1'b0;
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (past_valid_q) assert (held);
  end
endmodule
