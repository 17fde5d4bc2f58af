// Lists of the top and the middle level: doubly linked lists in memory, one for each wheel slot of a level.
//
// A list is empty unless its flag says otherwise, so no memory needs initialising. A list that is being unfolded is
// open: its head and tail are in registers, and entries leave it at the head. Read data are valid in the next cycle;
// append, remove and pop use the data read in the previous cycle.
module tw_lists #(
  parameter int unsigned NumTimers  = 1024,
  parameter int unsigned TopBits    = 5,
  parameter int unsigned MiddleBits = 5,
  parameter int unsigned Secded     = 0,  // 1: memories correct bits (ram_guarded.sv)
  parameter int unsigned Withdraw   = 1,  // 0: remove_i is always 0, and no links lead backwards
  localparam int unsigned SlotW       = $clog2(NumTimers),
  localparam int unsigned IndexW      = ((TopBits > MiddleBits) ? TopBits : MiddleBits) + 1,
  localparam int unsigned ListW       = IndexW + 1,
  localparam int unsigned TopLists    = 2 << TopBits,
  localparam int unsigned MiddleLists = 2 << MiddleBits,
  localparam int unsigned ReportW = (Secded != 0) ? 31 : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [ram_pkg::PinsW-1:0] ram_pins_i,  // pins of the RAMs (ram_pkg.sv)
  input  logic                   clear_i,          // empties all lists of both levels
  // the list of each level that is unfolded next
  input  logic [TopBits:0]       top_source_i,
  input  logic [MiddleBits:0]    middle_source_i,
  output logic                   top_pending_o,    // the list to unfold is not empty
  output logic                   middle_pending_o,
  output logic                   top_open_o,       // top_head_o is the head of an open list
  output logic                   middle_open_o,
  output logic [SlotW-1:0]       top_head_o,
  output logic [SlotW-1:0]       middle_head_o,
  output logic [ListW-1:0]       top_list_o,       // number of the list that is open
  output logic [ListW-1:0]       middle_list_o,
  // inputs: read requests
  input  logic                   links_ren_i,      // reads the links of an entry to its neighbours
  input  logic [SlotW-1:0]       links_slot_i,
  input  logic                   ends_ren_i,       // reads a list's head and tail
  input  logic [ListW-1:0]       ends_list_i,      // number of a list: {middle level, index}
  output logic [SlotW-1:0]       head_o,           // head of the list that was read
  // inputs: changes of lists
  input  logic [SlotW-1:0]       slot_i,           // slot of the entry that is inserted or removed
  input  logic                   append_i,         // appends to append_list_i, whose ends were read
  input  logic [ListW-1:0]       append_list_i,
  input  logic                   remove_i,         // removes from remove_list_i; links and ends were read
  input  logic [ListW-1:0]       remove_list_i,
  input  logic                   open_i,           // opens the source list, whose ends were read
  input  logic                   pop_i,            // removes the head, whose links were read
  input  logic                   source_middle_i,  // open and pop act on the middle level
  // bit masks of the lists that are not empty
  output logic [TopLists-1:0]    top_used_o,
  output logic [MiddleLists-1:0] middle_used_o,
  output logic [ReportW-1:0]     error_o           // report on the words used in the previous cycle (ram_guarded.sv)
);
  localparam int unsigned NumLists = 1 << ListW;

  logic               next_wen, previous_wen, ends_wen;
  logic               next_use, previous_use, ends_use;
  logic [3*ReportW-1:0] reports;
  logic [SlotW-1:0]   tail;  // tail of the list that was read
  logic [SlotW-1:0]   next_rdata, next_waddr, next_wdata;
  logic [SlotW-1:0]   previous_rdata, previous_waddr, previous_wdata;
  logic [ListW-1:0]   ends_waddr;
  logic [2*SlotW-1:0] ends_wdata;

  ram_guarded #(.Depth(NumTimers), .Width(SlotW), .Secded(Secded), .Number(24)) u_next (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (links_ren_i),
    .raddr_i(links_slot_i),
    .rdata_o(next_rdata),
    .wen_i  (next_wen),
    .waddr_i(next_waddr),
    .wdata_i(next_wdata),
    .use_i  (next_use),
    .report_o(reports[0*ReportW +: ReportW])
  );
  if (Withdraw != 0) begin : g_previous
    ram_guarded #(.Depth(NumTimers), .Width(SlotW), .Secded(Secded), .Number(25)) u_previous (
      .clk_i  (clk_i),
      .ram_pins_i(ram_pins_i),
      .ren_i  (links_ren_i),
      .raddr_i(links_slot_i),
      .rdata_o(previous_rdata),
      .wen_i  (previous_wen),
      .waddr_i(previous_waddr),
      .wdata_i(previous_wdata),
      .use_i  (previous_use),
      .report_o(reports[1*ReportW +: ReportW])
    );
  end else begin : g_forward
    assign previous_rdata                = '0;
    assign reports[1*ReportW +: ReportW] = '0;

    logic unused;
    assign unused = &{1'b0, previous_wen, previous_waddr, previous_wdata, previous_use};
  end
  ram_guarded #(.Depth(NumLists), .Width(2 * SlotW), .Secded(Secded), .Number(26)) u_list (
    .clk_i  (clk_i),
    .ram_pins_i(ram_pins_i),
    .ren_i  (ends_ren_i),
    .raddr_i(ends_list_i),
    .rdata_o({head_o, tail}),
    .wen_i  (ends_wen),
    .waddr_i(ends_waddr),
    .wdata_i(ends_wdata),
    .use_i  (ends_use),
    .report_o(reports[2*ReportW +: ReportW])
  );

  logic [TopLists-1:0]    top_used_q, top_used_d;
  logic [MiddleLists-1:0] middle_used_q, middle_used_d;
  logic                   top_open_q, top_open_d, middle_open_q, middle_open_d;
  logic [SlotW-1:0]       top_head_q, top_head_d, top_tail_q, top_tail_d;
  logic [SlotW-1:0]       middle_head_q, middle_head_d, middle_tail_q, middle_tail_d;

  assign top_list_o       = {1'b0, IndexW'(top_source_i)};
  assign middle_list_o    = {1'b1, IndexW'(middle_source_i)};
  assign top_pending_o    = top_used_q[top_source_i];
  assign middle_pending_o = middle_used_q[middle_source_i];
  assign top_open_o       = top_open_q;
  assign middle_open_o    = middle_open_q;
  assign top_head_o       = top_head_q;
  assign middle_head_o    = middle_head_q;
  assign top_used_o       = top_used_q;
  assign middle_used_o    = middle_used_q;

  logic append_used;  // the list to which the entry is appended is not empty
  assign append_used = append_list_i[ListW-1] ? middle_used_q[append_list_i[MiddleBits:0]]
                                                : top_used_q[append_list_i[TopBits:0]];

  // Ends of the list from which an entry is removed.
  logic             from_open_top, from_open_middle, is_head, is_tail;
  logic [SlotW-1:0] from_head, from_tail;
  assign from_open_top    = top_open_q && remove_list_i == top_list_o;
  assign from_open_middle = middle_open_q && remove_list_i == middle_list_o;
  assign from_head = from_open_top ? top_head_q : from_open_middle ? middle_head_q : head_o;
  assign from_tail = from_open_top ? top_tail_q : from_open_middle ? middle_tail_q : tail;
  assign is_head   = from_head == slot_i;
  assign is_tail   = from_tail == slot_i;

  // Memory words in use. A tail's next link and a head's previous link are stale; a list's ends are in memory unless
  // the list is empty or open.
  logic source_last;  // the removed entry is the last one of the source list
  assign source_last  = source_middle_i ? middle_head_q == middle_tail_q : top_head_q == top_tail_q;
  assign next_use     = (pop_i && !source_last) || (remove_i && !is_tail);
  assign previous_use = remove_i && !is_head;
  assign ends_use     = open_i || (append_i && append_used) ||
                        (remove_i && !from_open_top && !from_open_middle);
  ram_reports #(.Count(3), .ReportW(ReportW)) u_reports (.reports_i(reports), .report_o(error_o));

  always_comb begin
    next_waddr     = tail;
    next_wdata     = slot_i;
    next_wen       = append_i && append_used;
    previous_waddr = slot_i;
    previous_wdata = tail;
    previous_wen   = append_i && append_used;
    ends_waddr     = append_list_i;
    ends_wdata     = {append_used ? head_o : slot_i, slot_i};
    ends_wen       = append_i || remove_i;
    if (remove_i) begin
      next_waddr     = previous_rdata;
      next_wdata     = next_rdata;
      next_wen       = !is_head && !is_tail;
      previous_waddr = next_rdata;
      previous_wdata = previous_rdata;
      previous_wen   = !is_head && !is_tail;
      ends_waddr     = remove_list_i;
      ends_wdata     = {is_head ? next_rdata : from_head, is_tail ? previous_rdata : from_tail};
    end
  end

  always_comb begin
    top_used_d    = top_used_q;
    middle_used_d = middle_used_q;
    top_open_d    = top_open_q;
    top_head_d    = top_head_q;
    top_tail_d    = top_tail_q;
    middle_open_d = middle_open_q;
    middle_head_d = middle_head_q;
    middle_tail_d = middle_tail_q;

    if (open_i) begin
      if (source_middle_i) begin
        middle_open_d = 1'b1;
        {middle_head_d, middle_tail_d} = {head_o, tail};
      end else begin
        top_open_d = 1'b1;
        {top_head_d, top_tail_d} = {head_o, tail};
      end
    end
    if (pop_i) begin
      if (source_middle_i) begin
        middle_head_d = next_rdata;
        if (source_last) begin
          middle_open_d = 1'b0;
          middle_used_d[middle_source_i] = 1'b0;
        end
      end else begin
        top_head_d = next_rdata;
        if (source_last) begin
          top_open_d = 1'b0;
          top_used_d[top_source_i] = 1'b0;
        end
      end
    end
    if (remove_i) begin
      if (is_head && is_tail) begin
        if (remove_list_i[ListW-1]) middle_used_d[remove_list_i[MiddleBits:0]] = 1'b0;
        else top_used_d[remove_list_i[TopBits:0]] = 1'b0;
      end
      if (from_open_top) begin
        {top_head_d, top_tail_d} = ends_wdata;
        top_open_d = !(is_head && is_tail);
      end
      if (from_open_middle) begin
        {middle_head_d, middle_tail_d} = ends_wdata;
        middle_open_d = !(is_head && is_tail);
      end
    end
    if (append_i) begin
      if (append_list_i[ListW-1]) middle_used_d[append_list_i[MiddleBits:0]] = 1'b1;
      else top_used_d[append_list_i[TopBits:0]] = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      top_used_q    <= '0;
      middle_used_q <= '0;
      top_open_q    <= 1'b0;
      middle_open_q <= 1'b0;
    end else begin
      top_used_q    <= clear_i ? '0 : top_used_d;
      middle_used_q <= clear_i ? '0 : middle_used_d;
      top_open_q    <= top_open_d && !clear_i;
      middle_open_q <= middle_open_d && !clear_i;
    end
  end

  // Registers that are always written before they are read, so without a reset.
  always_ff @(posedge clk_i) begin
    top_head_q    <= top_head_d;
    top_tail_q    <= top_tail_d;
    middle_head_q <= middle_head_d;
    middle_tail_q <= middle_tail_d;
  end
endmodule
