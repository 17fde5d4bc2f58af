// Testbench of small blocks: register slice and multiplexer of streams, bridge from AXI4-Lite to APB, RAM with
// and without check bits, time of the wheel.
// Inputs are random in every cycle, and resets come in the middle of frames and accesses. A model of each block gives
// its outputs of every cycle.
// SystemVerilog, so check.sh runs it in Verilator alone. Prints PASS, or ends with $fatal.
`timescale 1ns / 1ps

// In every cycle `drive` changes first, at which inputs change, then `look`, at which outputs are compared, then the
// clock rises. `most` is the probability in 1/16 that an input which asks for something is 1.
module slice_bench (
  input logic clk, input logic rst_n, input logic drive, input logic look, input logic [4:0] most,
  input logic [4:0] most_taken, output int unsigned seen
);
  logic        s_valid, s_ready, m_valid, m_ready;
  logic [15:0] s_beat, m_beat;
  dc_axis_slice #(.Width(16)) dut (
    .clk_i(clk), .rst_ni(rst_n), .s_tvalid_i(s_valid), .s_tready_o(s_ready), .s_beat_i(s_beat), .m_tvalid_o(m_valid),
    .m_tready_i(m_ready), .m_beat_o(m_beat)
  );

  logic        up;  // not the first cycle after a reset
  logic [1:0]  held;
  logic [15:0] first, second;
  wire         enters = s_valid && up && held < 2;
  wire         leaves = held != 0 && m_ready;
  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      up   <= 1'b0;
      held <= 2'd0;
    end else begin
      up   <= 1'b1;
      held <= held + 2'(enters) - 2'(leaves);
      if (leaves) first <= second;
      if (enters && (held == 2'd0 || held == 2'd1 && leaves)) first <= s_beat;
      else if (enters) second <= s_beat;
    end
  end

  initial seen = 0;
  always @(drive) begin
    s_valid = $urandom_range(15) < 32'(most);
    m_ready = $urandom_range(15) < 32'(most_taken);
    s_beat  = 16'($urandom);
  end
  always @(look) if ($time > 1) begin
    if (s_ready !== (up && held < 2)) $fatal(1, "FAIL: dc_axis_slice: ready %b, %0d beats held", s_ready, held);
    if (m_valid !== (held != 0)) $fatal(1, "FAIL: dc_axis_slice: valid %b, %0d beats held", m_valid, held);
    if (held != 0 && m_beat !== first) $fatal(1, "FAIL: dc_axis_slice: beat %h, not %h", m_beat, first);
    if (!rst_n && held == 2'd0) seen = seen + 1;
  end
endmodule

module mux_bench (
  input logic clk, input logic rst_n, input logic drive, input logic look, input logic [4:0] most,
  input logic [4:0] most_taken
);
  logic       a_valid, a_ready, a_last, b_valid, b_ready, b_last, m_valid, m_ready, m_last;
  logic [7:0] a_beat, b_beat, m_beat;
  dc_cnp_mux #(.Width(8)) dut (
    .clk_i(clk), .rst_ni(rst_n), .a_tvalid_i(a_valid), .a_tready_o(a_ready), .a_tlast_i(a_last), .a_beat_i(a_beat),
    .b_tvalid_i(b_valid), .b_tready_o(b_ready), .b_tlast_i(b_last), .b_beat_i(b_beat), .m_tvalid_o(m_valid),
    .m_tready_i(m_ready), .m_tlast_o(m_last), .m_beat_o(m_beat)
  );

  enum logic [1:0] {Between, OfA, OfB} state;
  wire a = state == OfA || (state == Between && a_valid);
  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) state <= Between;
    else if (m_ready && a && a_valid) state <= a_last ? Between : OfA;
    else if (m_ready && !a && b_valid) state <= b_last ? Between : OfB;
  end

  always @(drive) begin
    a_valid = $urandom_range(31) < 32'(most);
    b_valid = $urandom_range(15) < 32'(most);
    m_ready = $urandom_range(15) < 32'(most_taken);
    {a_last, b_last} = {$urandom_range(3) == 0, $urandom_range(3) == 0};
    a_beat = 8'($urandom);
    b_beat = 8'($urandom);
  end
  always @(look) if ($time > 1) begin
    if (a_ready !== (a && m_ready)) $fatal(1, "FAIL: dc_cnp_mux: first stream ready %b", a_ready);
    if (b_ready !== (!a && m_ready)) $fatal(1, "FAIL: dc_cnp_mux: second stream ready %b", b_ready);
    if (m_valid !== (a ? a_valid : b_valid)) $fatal(1, "FAIL: dc_cnp_mux: valid %b", m_valid);
    if (m_valid && {m_last, m_beat} !== (a ? {a_last, a_beat} : {b_last, b_beat}))
      $fatal(1, "FAIL: dc_cnp_mux: beat %h, last %b", m_beat, m_last);
  end
endmodule

module bridge_bench (
  input logic clk, input logic rst_n, input logic drive, input logic look, input logic [4:0] most,
  input logic [4:0] most_taken, output int unsigned accesses
);
  logic        awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
  logic [23:0] awaddr, araddr, paddr;
  logic [2:0]  awprot, arprot, pprot;
  logic [31:0] wdata, rdata, pwdata, prdata;
  logic [3:0]  wstrb, pstrb;
  logic [1:0]  bresp, rresp;
  logic        psel, penable, pwrite, pready, pslverr;
  dc_axil_apb dut (
    .clk_i(clk), .rst_ni(rst_n), .awvalid_i(awvalid), .awready_o(awready), .awaddr_i(awaddr), .awprot_i(awprot),
    .wvalid_i(wvalid), .wready_o(wready), .wdata_i(wdata), .wstrb_i(wstrb), .bvalid_o(bvalid), .bready_i(bready),
    .bresp_o(bresp), .arvalid_i(arvalid), .arready_o(arready), .araddr_i(araddr), .arprot_i(arprot),
    .rvalid_o(rvalid), .rready_i(rready), .rdata_o(rdata), .rresp_o(rresp), .psel_o(psel), .penable_o(penable),
    .pwrite_o(pwrite), .paddr_o(paddr), .pprot_o(pprot), .pwdata_o(pwdata), .pstrb_o(pstrb), .pready_i(pready),
    .prdata_i(prdata), .pslverr_i(pslverr)
  );

  // What the bridge holds: address and data of a write, address of a read, the response of each.
  logic        up, aw, w, ar, b, r, writes, read_last, b_error, r_error;
  logic [26:0] aw_place, ar_place;
  logic [35:0] w_data;
  logic [31:0] r_data;
  enum logic [1:0] {Idle, Setup, Access} apb;
  wire can_write = aw && w && !b;
  wire can_read  = ar && !r;
  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      {up, aw, w, ar, b, r, writes, read_last} <= '0;
      apb <= Idle;
    end else begin
      up <= 1'b1;
      if (awvalid && up && !aw) {aw, aw_place} <= {1'b1, awprot, awaddr};
      if (wvalid && up && !w) {w, w_data} <= {1'b1, wstrb, wdata};
      if (arvalid && up && !ar) {ar, ar_place} <= {1'b1, arprot, araddr};
      if (bready) b <= 1'b0;
      if (rready) r <= 1'b0;
      case (apb)
        Idle: begin
          if (can_write || can_read) begin
            // Reads and writes take turns while both wait.
            writes    <= can_write && (!can_read || read_last);
            read_last <= !(can_write && (!can_read || read_last));
            apb       <= Setup;
          end
        end
        Setup: apb <= Access;
        default: begin
          if (pready) begin
            apb <= Idle;
            if (writes) {aw, w, b, b_error} <= {3'b001, pslverr};
            else {ar, r, r_error, r_data} <= {2'b01, pslverr, prdata};
          end
        end
      endcase
    end
  end

  initial accesses = 0;
  always @(drive) begin
    {awvalid, wvalid, arvalid} = {$urandom_range(15) < 32'(most), $urandom_range(15) < 32'(most),
                                  $urandom_range(15) < 32'(most)};
    {bready, rready, pready} = {$urandom_range(15) < 32'(most_taken), $urandom_range(15) < 32'(most_taken),
                                $urandom_range(15) < 32'(most_taken)};
    {awaddr, awprot, wstrb} = 31'($urandom);
    {araddr, arprot, pslverr} = 28'($urandom);
    wdata  = $urandom;
    prdata = $urandom;
  end
  always @(look) if ($time > 1) begin
    if ({awready, wready, arready} !== {up && !aw, up && !w, up && !ar})
      $fatal(1, "FAIL: dc_axil_apb: awready, wready, arready %b", {awready, wready, arready});
    if (bvalid !== b || b && bresp !== {b_error, 1'b0})
      $fatal(1, "FAIL: dc_axil_apb: bvalid %b, bresp %b", bvalid, bresp);
    if (rvalid !== r || r && {rresp, rdata} !== {r_error, 1'b0, r_data})
      $fatal(1, "FAIL: dc_axil_apb: rvalid %b, rresp %b, rdata %h", rvalid, rresp, rdata);
    if ({psel, penable} !== {apb != Idle, apb == Access})
      $fatal(1, "FAIL: dc_axil_apb: psel, penable %b", {psel, penable});
    if (psel && {pwrite, pprot, paddr} !== {writes, writes ? aw_place : ar_place})
      $fatal(1, "FAIL: dc_axil_apb: pwrite %b, pprot %b, paddr %h", pwrite, pprot, paddr);
    if (psel && pwrite && {pstrb, pwdata} !== w_data)
      $fatal(1, "FAIL: dc_axil_apb: pstrb %b, pwdata %h", pstrb, pwdata);
    if (apb == Access && pready) accesses = accesses + 1;
  end
endmodule

// Data of a read stay until the next one. A word that is read and written in one cycle is the new one.
module ram_bench (
  input logic clk, input logic drive, input logic look, input logic [4:0] most, input logic [4:0] most_taken,
  output int unsigned both
);
  logic       ren, wen;
  logic [1:0] raddr, waddr;
  logic [4:0] rdata, wdata;
  ram_1r1w #(.Depth(4), .Width(5)) dut (
    .clk_i(clk), .ren_i(ren), .raddr_i(raddr), .rdata_o(rdata), .wen_i(wen), .waddr_i(waddr), .wdata_i(wdata)
  );

  logic       known = 1'b0;
  logic [3:0] written = '0;
  logic [4:0] words [4], expected;
  initial both = 0;
  always_ff @(posedge clk) begin
    if (ren) begin
      known    <= written[raddr] || (wen && waddr == raddr);
      expected <= (wen && waddr == raddr) ? wdata : words[raddr];
    end
    if (wen) begin
      words[waddr]   <= wdata;
      written[waddr] <= 1'b1;
    end
  end
  always @(drive) begin
    ren   = $urandom_range(31) < 32'(most);
    wen   = $urandom_range(15) < 32'(most_taken);
    raddr = 2'($urandom);
    waddr = 2'($urandom);
    wdata = 5'($urandom);
  end
  always @(look) if (known) begin
    if (rdata !== expected) $fatal(1, "FAIL: ram_1r1w: %h, not %h", rdata, expected);
    if (ren && wen && waddr == raddr) both = both + 1;
  end
endmodule

// RAM with check bits, whose words lose up to two bits. The report names the word that was read, however long its data
// stay.
module guard_bench #(
  parameter int unsigned Secded = 0, parameter int unsigned Early = 0
) (
  input logic clk, input logic drive, input logic look, input logic [4:0] most, input logic [4:0] most_taken,
  output int unsigned used
);
  localparam int unsigned All = (Secded != 0) ? 26 : 21;  // bits of a word with its check bits
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1;
  logic               ren, wen, needed, lose;
  logic [2:0]         raddr, waddr, lose_at;
  logic [19:0]        wdata, rdata;
  logic [4:0]         lose_bit;
  logic [ReportW-1:0] report;
  ram_guarded #(.Depth(8), .Width(20), .Secded(Secded), .Number(9), .Early(Early)) dut (
    .clk_i(clk), .ren_i(ren), .raddr_i(raddr), .rdata_o(rdata), .wen_i(wen), .waddr_i(waddr), .wdata_i(wdata),
    .use_i(needed), .report_o(report)
  );

  logic           known = 1'b0, begun = 1'b0;
  logic [7:0]     written = '0;
  logic [19:0]    words [8], word;
  logic [All-1:0] lost [8], held_lost;  // bits that differ from what was written
  logic [2:0]     at;
  wire            both    = wen && waddr == raddr;
  wire            loses   = lose && !(wen && waddr == lose_at) && $countones(lost[lose_at]) < 2;
  wire            right   = $countones(held_lost) == 0;
  wire            one     = $countones(held_lost) == 1;
  logic [30:0]    now, earlier;
  assign now = !needed || right ? '0 : (Secded != 0) ? {24'(at), 5'd9, one, !one} : 31'(one);
  always_ff @(posedge clk) begin
    begun   <= 1'b1;
    earlier <= now;
    if (ren) begin
      known     <= both || written[raddr];
      word      <= both ? wdata : words[raddr];
      held_lost <= both ? '0 : lost[raddr];
      at        <= raddr;
    end
    if (loses) begin
      lost[lose_at] <= lost[lose_at] ^ All'(1) << lose_bit;
      dut.u_ram.u_array.mem[lose_at] <= dut.u_ram.u_array.mem[lose_at] ^ All'(1) << lose_bit;
    end
    if (wen) begin
      words[waddr]   <= wdata;
      lost[waddr]    <= '0;
      written[waddr] <= 1'b1;
    end
  end
  initial used = 0;
  always @(drive) begin
    ren      = $urandom_range(31) < 32'(most);
    wen      = $urandom_range(31) < 32'(most_taken);
    needed   = known && $urandom_range(15) < 32'(most);
    lose     = $urandom_range(31) < 32'(most_taken) && written[lose_at];
    raddr    = 3'($urandom);
    waddr    = 3'($urandom);
    wdata    = 20'($urandom);
    lose_at  = 3'($urandom);
    lose_bit = 5'($urandom_range(All - 1));
  end
  always @(look) if (begun) begin
    if (known && (right || Secded != 0 && one) && rdata !== word)
      $fatal(1, "FAIL: ram_guarded: %h, not %h", rdata, word);
    if (report !== ReportW'((Early != 0) ? now : earlier))
      $fatal(1, "FAIL: ram_guarded: report %h, not %h", report, (Early != 0) ? now : earlier);
    if (needed && !right) used = used + 1;
  end
endmodule

// Time and pointer of the wheel, for delays of 6 bits: a lag of 32 ticks is an overrun, one of 64 - 8 holds starts.
module time_bench (
  input logic clk, input logic rst_n, input logic drive, input logic look, input logic [4:0] most,
  input logic [4:0] most_taken, output int unsigned held
);
  logic        tick, step, jump, clear, overrun, hold;
  logic [11:0] jump_to, now, pointer, lag;
  tw_time #(.TimeW(12), .DelayW(6), .TopSlotW(2)) dut (
    .clk_i(clk), .rst_ni(rst_n), .tick_i(tick), .step_i(step), .jump_i(jump), .jump_to_i(jump_to),
    .overrun_clear_i(clear), .now_o(now), .pointer_o(pointer), .lag_o(lag), .overrun_o(overrun), .hold_starts_o(hold)
  );

  logic [11:0] now_d, pointer_d;
  logic        over;
  wire  [11:0] behind = now_d - pointer_d;
  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      {now_d, pointer_d, over} <= '0;
    end else begin
      now_d     <= (jump ? jump_to : now_d) + 12'(tick);
      pointer_d <= jump ? jump_to : pointer_d + 12'(step);
      over      <= behind >= 12'd32 || (over && !clear);
    end
  end
  initial held = 0;
  always @(drive) begin
    tick    = $urandom_range(15) < 32'(most) && behind < 12'd60;
    step    = $urandom_range(31) < 32'(most_taken) && behind != '0;
    jump    = $urandom_range(499) == 0;
    clear   = $urandom_range(3) == 0;
    jump_to = 12'($urandom);
  end
  always @(look) if ($time > 1) begin
    if ({now, pointer, lag} !== {now_d, pointer_d, behind})
      $fatal(1, "FAIL: tw_time: now, pointer, lag %h %h %h", now, pointer, lag);
    if ({overrun, hold} !== {over, behind >= 12'd56}) $fatal(1, "FAIL: tw_time: overrun, hold %b, lag %0d",
                                                            {overrun, hold}, behind);
    if (behind == 12'd56) held = held + 1;
  end
endmodule

module tb_parts;
  logic       clk, rst_n, drive, look;
  logic [4:0] most, most_taken;
  int         lasts;  // cycles until the reset ends
  int unsigned resets, accesses, in_reset, both, held;

  slice_bench u_slice (.seen(in_reset), .*);
  mux_bench u_mux (.*);
  bridge_bench u_bridge (.*);
  ram_bench u_ram (.*);
  time_bench u_time (.*);
  int unsigned used [4];
  for (genvar i = 0; i < 4; i++) begin : g_guard
    guard_bench #(.Secded(i / 2), .Early(i % 2)) u_guard (.used(used[i]), .*);
  end

  initial begin
    {clk, drive, look} = '0;
    rst_n = 1'b1;
    lasts = 4;
    resets = 0;
    #1 rst_n = 1'b0;
    for (int cycle = 0; cycle < 100000; cycle++) begin
      if (cycle % 64 == 0) most = 5'(1 + $urandom_range(15));
      if (cycle % 48 == 0) most_taken = 5'(1 + $urandom_range(15));
      if (!rst_n) lasts = lasts - 1;
      if (lasts == 0) begin
        rst_n = 1'b1;
        lasts = 2 + $urandom_range(2);
      end else if (rst_n && $urandom_range(199) == 0) begin
        rst_n = 1'b0;
        resets = resets + 1;
      end
      drive = !drive;
      #1 look = !look;
      #1 clk = 1'b1;
      #2 clk = 1'b0;
      #1;
    end
    if (resets < 100 || accesses < 1000 || in_reset < 200 || both < 1000 || held < 100 ||
        used[0] < 1000 || used[1] < 1000 || used[2] < 1000 || used[3] < 1000)
      $fatal(1, "FAIL: only %0d resets, %0d accesses, %0d words read and written, %0d at the limit of the lag", resets,
             accesses, both, held);
    $display("PASS: %0d resets, %0d accesses", resets, accesses);
    $finish;
  end
endmodule
