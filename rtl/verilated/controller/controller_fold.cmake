# Copies of the modules between an event's issue and its write-back, in which the pipeline is folded: the event's cycles
# are calculated at once, and the result waits in a ring for cycle 31. So a simulation evaluates one cycle where the RTL
# has thirty-one.
#
# The results are the same. Cycles 4 to 31 only calculate: they write no memory, they read no other event, and what they
# read, software's registers and tables, does not change while an event is under way (dc_apb_gate.sv). Cycles 0 to 4
# read the memories' words of the event's flow and slot, which no other event writes meanwhile, because the arbiter
# issues events of one flow at least thirty-two cycles apart. Only a CNP whose flow has no slot does more, it takes a
# slot from the list that all events share: such an event is looked up cycle by cycle and is folded from cycle 4 on. So
# is an event whose cycle 0 is another one's cycle 4.
#
# Each macro changes the text in the variable that has the name of a module's file, or makes such a variable.

# Turns registers into wires: the statements of clocked blocks, where the clock was the only condition.
macro(dcc_fold_statements text)
  string(REGEX REPLACE "(\n +)([a-z0-9_.]+_[qo]|s[0-9]+_[a-z0-9_.]+)( *)<= " "\\1\\2\\3= " ${text} "${${text}}")
  string(REGEX REPLACE "(\n +if \\([^\n]*\\) )(s[0-9]+_[a-z0-9_.]+)( *)<= " "\\1\\2\\3= " ${text} "${${text}}")
endmacro()

# Lets logic be calculated only if an event is there.
macro(dcc_fold_condition text valid)
  string(REGEX REPLACE "\n  assign +([a-z0-9_]+)( +)=" "\n  always_comb if (${valid}) \\1\\2=" ${text} "${${text}}")
  string(REPLACE "\n  always_comb begin" "\n  always_comb if (${valid}) begin" ${text} "${${text}}")
endmacro()

# The multipliers, delays and memories of fold_parts.sv in place of those with registers.
macro(dcc_fold_parts text)
  string(REGEX REPLACE "(rl_mul|rl_delay|ram_guarded|rl_tables) #\\(" "fold_\\1 #(" ${text} "${${text}}")
  string(REGEX REPLACE "fold_rl_" "fold_" ${text} "${${text}}")
  string(REPLACE "fold_ram_guarded" "fold_ram" ${text} "${${text}}")
endmacro()

# The words of the memories without the register behind them; fold: the event leaves in cycle 0.
macro(dcc_fold_lookup)
  dcc_controller_change(dc_lookup 1 "\n  output logic             valid_o," "\n  output logic             fold_o,\n  output logic             valid_o,")
  dcc_controller_change(dc_lookup 1 "\n  assign valid_o  .*\n  assign parameters_o = s4_parameters_q;" "
  logic             fold_bound;
  logic [SlotW-1:0] fold_matched, fold_slot;
  logic [FlowW-1:0] fold_unused;
  always_comb if (s0_valid_q) {fold_bound, fold_matched} = g_direct.u_flows.u_slot_of.u_ram.u_array.mem[s0_flow_q];
  assign fold_o  = s0_valid_q && !s4_valid_q && (s0_event_q.kind != dcc_controller_pkg::KindCnp || fold_bound);
  assign valid_o = s4_valid_q || fold_o;
  always_comb if (fold_o) begin
    fold_slot = (s0_event_q.kind == dcc_controller_pkg::KindTimer) ? s0_slot_q : fold_matched;
    event_o   = s0_event_q;
    flow_o    = s0_flow_q;
    slot_o    = fold_slot;
    now_o     = now_i;
    hit_o     = fold_bound;
    first_o   = 1'b0;
    {fold_unused, parameters_o} = u_store.u_ram.u_array.mem[fold_slot];
  end else if (s4_valid_q) begin
    event_o      = s4_event_q;
    flow_o       = s4_flow_q;
    slot_o       = s4_slot_q;
    now_o        = s4_now_q;
    hit_o        = s4_hit_q;
    first_o      = s4_first_q;
    parameters_o = s4_parameters_q;
  end")
  dcc_controller_change(dc_lookup 1 "s1_valid_q <= s0_valid_q;" "s1_valid_q <= s0_valid_q && !fold_o;")
  dcc_controller_change(dc_lookup 1 "if \\(s0_valid_q\\) begin\n +s1_event_q" "if (s0_valid_q && !fold_o) begin\n      s1_event_q")
endmacro()

macro(dcc_fold_classify)
  # The valid bits, and the blocks of the stages.
  dcc_controller_change(dc_classify 1
    "\n  always_ff @\\(posedge clk_i\\) begin\n    if \\(!rst_ni\\) {s5_valid_q[^\n]*\n[^\n]*\n[^;]*;\n  end"
    "\n   assign {s5_valid_q, s6_valid_q, s7_valid_q, s8_valid_q, s9_valid_q} = {5{valid_i}};")
  dcc_controller_change(dc_classify 3 "always_ff @\\(posedge clk_i\\) if \\([a-z0-9_]+\\) begin"
    "always_comb if (valid_i) begin")
  dcc_controller_change(dc_classify 1
    "\n  always_ff @\\(posedge clk_i\\) begin\n    if \\(s7_valid_q\\) begin" "\n  always_comb begin\n    if (valid_i) begin")
  dcc_controller_change(dc_classify 1 "\n    if \\(s8_valid_q\\) begin" "\n  end\n  always_comb begin\n    if (valid_i) begin")
  dcc_controller_change(dc_classify 1 "\n  assign valid_o  " "\n   assign valid_o  ")
  dcc_controller_change(dc_classify 1 "assign req_valid_o +=[^;]*;"
    " assign req_valid_o = valid_i && (s9_plan_q.cut || s9_plan_q.increase);")
  dcc_fold_statements(dc_classify)
  dcc_fold_condition(dc_classify valid_i)
  dcc_fold_parts(dc_classify)
endmacro()

macro(dcc_fold_limits)
  dcc_controller_change(dc_limits 1 "always_ff @\\(posedge clk_i\\) begin\n +lo_q" "always_comb if (dscp_valid_i) begin\n    lo_q")
  dcc_controller_change(dc_limits 2 "ren_i  \\(1'b1\\)" "ren_i  (dscp_valid_i)")
  string(REGEX REPLACE "(\n +(lo|cap|hi)_[qo] +)<=" "\\1=" dc_limits "${dc_limits}")
  dcc_fold_parts(dc_limits)
endmacro()

macro(dcc_fold_finish)
  dcc_controller_change(dc_finish 1 "always_ff @\\(posedge clk_i\\) begin\n    if \\(valid_i\\)" "always_comb begin\n    if (valid_i)")
  dcc_controller_change(dc_finish 5 "\n    if \\(s[0-9]+_valid_q\\) begin" "\n  end\n  always_comb begin\n    if (valid_i) begin")
  dcc_controller_change(dc_finish 1
    "\n  always_ff @\\(posedge clk_i\\) begin\n    if \\(!rst_ni\\) begin\n      {s26_valid_q[^\n]*(\n    [^\n]*)*\n  end"
    "\n   assign {s26_valid_q, s27_valid_q, s28_valid_q, s29_valid_q, s30_valid_q, s31_valid_q} = {6{valid_i}};")
  dcc_controller_change(dc_finish 1 "\n  assign valid_o  " "\n   assign valid_o  ")
  dcc_fold_statements(dc_finish)
  dcc_fold_condition(dc_finish valid_i)
  dcc_fold_parts(dc_finish)
endmacro()

# The rate unit twice: as it is, for software's reads of the tables, and folded, for the requests of events.
macro(dcc_fold_rate)
  set(rate_fold "${rate_unit}")
  dcc_controller_change(rate_fold 1 "module rate_unit" "module rate_fold")
  # Flow control: a request is calculated in the cycle in which it comes.
  dcc_controller_change(rate_fold 1 "\n  assign rsp_valid_o .*\n  assign tbl_ready_o[^;]*;" "
   assign valid_q       = {Last{req_valid_i}};
   assign rsp_valid_o   = req_valid_i;
   assign step          = req_valid_i;
   assign request_enter = req_valid_i;
   assign move          = 1'b1;
   assign req_ready_o   = 1'b1;
   assign init_done_o   = init_done;
   assign {read_wait_q, read_enter, read_leave, busy_o, tbl_ready_o} = '0;
   assign enter_op      = req_increase_i ? rate_lut_pkg::OpIncrease : rate_lut_pkg::OpDecrease;
")
  dcc_controller_change(rate_fold 4 "(\n    \\.[a-z]+_ren_i +)\\([^\n]*\\)," "\\1(step),")
  # What only a read of a table does.
  dcc_controller_change(rate_fold 1 "\n      if \\(s11_op_q == rate_lut_pkg::OpRead\\) begin(\n        [^\n]*)*\n      end" "")
  # Each register becomes a wire with a block of its own, but those that a later statement of their block changes.
  dcc_controller_change(rate_fold 8 "\n  always_ff @\\(posedge clk_i\\) begin\n    if \\(step\\) begin" "\n  always_comb begin\n    if (step) begin")
  dcc_controller_change(rate_fold 1 "\n      (s12_first_q +)<=" "\n      \\1=")
  dcc_controller_change(rate_fold 1 "\n      (s12_part_q +)<=" "\n      \\1=")
  dcc_controller_change(rate_fold 1 "\n      (s15_rt_q +)<=" "\n      \\1=")
  string(REGEX REPLACE "\n      (s[0-9]+_[a-z_]+_q +)<=" "\n    end\n  end\n  always_comb begin\n    if (step) begin\n      \\1="
    rate_fold "${rate_fold}")
  dcc_fold_statements(rate_fold)
  dcc_fold_condition(rate_fold step)
  dcc_fold_parts(rate_fold)
  string(APPEND rate_unit "${rate_fold}")
endmacro()

macro(dcc_fold_tables)
  set(fold_tables "${rl_tables}")
  dcc_controller_change(fold_tables 1 "module rl_tables" "module fold_tables")
  dcc_controller_change(fold_tables 1 "always_ff @\\(posedge clk_i\\) begin(\n +if \\(decrease_ren_i\\) odd_q +)<=" "always_comb begin\\1=")
  dcc_fold_parts(fold_tables)
  string(APPEND rl_tables "${fold_tables}")
endmacro()

# The result of the folded modules goes into the ring that in the RTL holds the plan beside the rate unit.
macro(dcc_fold_manager)
  string(REGEX MATCH "\n  rate_unit #[^;]*;" unit "${dc_manager}")
  set(fold "${unit}")
  dcc_controller_change(fold 1 "rate_unit (#.*\\)) u_rate \\(" "rate_fold \\1 u_fold (")
  dcc_controller_change(fold 5 "(\\.(init_done|tbl_ready|tbl_rdata|busy|error)_o +)\\([^\n]*\\)" "\\1()")
  dcc_controller_change(fold 1 "\\(table_valid_i\\)" "(table_valid_i && table_write_i)")
  dcc_controller_change(unit 7 "(\\.(req_ready|rsp_[a-z_]+)_o *)\\([^\n]*\\)" "\\1()")
  dcc_controller_change(unit 1 "\\(req_valid\\)" "(1'b0)")
  dcc_controller_change(dc_manager 1 "\n  rate_unit #[^;]*;" "${fold}${unit}")
  dcc_controller_change(dc_manager 1 "(\n    \\.valid_o +\\(s4_valid\\),)" "\n    .fold_o            (fold),\\1")
  # The ring, and the ports of the folded modules.
  dcc_controller_change(dc_manager 1 "\n  logic \\[rate_lut_pkg::Latency-1:0\\] beside_q;.*\\.error_o\\(wrong_beside\\)\n  \\);" "
  logic              fold;  // the event in s4_event is in its cycle 0
  logic              fold_held, fold_released, fold_answer, fold_start;
  logic [FlowW-1:0]  fold_flow;
  logic [SlotW-1:0]  fold_slot;
  dcc_controller_pkg::plan_t fold_plan;
  assign {s25_valid, s25_flow, s25_slot, s25_plan} = {s9_valid, s9_flow, s9_slot, s9_plan};
  assign wrong_beside = '0;
  fold_ring #(.Cycles(dcc_controller_pkg::Distance - 1), .Width(4 + FlowW + SlotW + $bits(s9_plan))) u_beside (
    .clk_i  (controller_rtl_dut.clk_beside_i),
    .rst_ni (rst_ni),
    .put_i  (s9_valid),
    .late_i (fold ? 5'd0 : 5'd4),
    .d_i    ({fold_held, fold_released, fold_answer, fold_start, fold_flow, fold_slot, fold_plan}),
    .valid_o(wb_done),
    .q_o    ({wb_held, wb_released, wb_answer, wb_start, wb_flow, wb_slot, wb_plan})
  );")
  dcc_controller_change(dc_manager 1 "\\.valid_o         \\(wb_done\\)" ".valid_o         ()")
  foreach(name flow slot plan held released answer start)
    dcc_controller_change(dc_manager 1 "(\\.${name}_o +)\\(wb_${name}\\)(,?\n)" "\\1(fold_${name})\\2")
  endforeach()
endmacro()
