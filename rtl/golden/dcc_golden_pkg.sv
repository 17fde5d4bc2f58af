// Imports of the golden model through DPI-C; dcc_golden.h describes the functions and defines a cycle.
package dcc_golden_pkg;
  localparam int unsigned Rate = 0, Query = 1, QueryUnbound = 2;  // Kinds of answers that dcc_golden_answer returns.

  // Bits of the result of dcc_golden_pacer_outputs.
  localparam int unsigned Sent = 1, PostReady = 2, RateReady = 4, PostRefused = 8, Strict = 16;

  import "DPI-C" function string dcc_golden_error();
  import "DPI-C" function chandle dcc_golden_new(input int unsigned slots, input int unsigned latency);
  import "DPI-C" function void dcc_golden_free(input chandle g);
  import "DPI-C" function int dcc_golden_cnp(input chandle g, input longint unsigned cycle,
      input int unsigned flow, input int unsigned dscp, input int unsigned marks,
      input int unsigned packets);
  import "DPI-C" function int dcc_golden_bytes(input chandle g, input longint unsigned cycle,
      input int unsigned flow, input int unsigned dscp, input int unsigned length);
  import "DPI-C" function int dcc_golden_release(input chandle g, input longint unsigned cycle,
      input int unsigned flow);
  import "DPI-C" function int dcc_golden_query(input chandle g, input longint unsigned cycle,
      input int unsigned flow);
  import "DPI-C" function int dcc_golden_write(input chandle g, input longint unsigned cycle,
      input int unsigned address, input int unsigned data);
  import "DPI-C" function int dcc_golden_read(input chandle g, input longint unsigned cycle,
      input int unsigned address, output int unsigned data);
  import "DPI-C" function int dcc_golden_answer(input chandle g, input longint unsigned cycle,
      output longint unsigned answer_cycle, output int unsigned kind, output int unsigned flow,
      output int unsigned rate);
  import "DPI-C" function int dcc_golden_irq(input chandle g, input longint unsigned cycle);
  import "DPI-C" function int dcc_golden_slot_of(input chandle g, input longint unsigned cycle,
      input int unsigned flow);
  import "DPI-C" function int dcc_golden_slot(input chandle g, input longint unsigned cycle,
      input int unsigned slot, output int unsigned flow);
  import "DPI-C" function int dcc_golden_decrease(input chandle g, inout int unsigned rc,
      inout int unsigned rt, inout int unsigned alpha, input int unsigned delta,
      input int unsigned dscp, input int unsigned marks, input int first);
  import "DPI-C" function int dcc_golden_increase(input chandle g, inout int unsigned rc,
      inout int unsigned rt, input int unsigned dscp, input int unsigned stage,
      input int unsigned packets);
  import "DPI-C" function chandle dcc_golden_wheel_new(input int unsigned slots);
  import "DPI-C" function void dcc_golden_wheel_free(input chandle w);
  import "DPI-C" function int dcc_golden_wheel_start(input chandle w, input int unsigned slot,
      input int unsigned delay, input longint unsigned now);
  import "DPI-C" function int dcc_golden_wheel_cancel(input chandle w, input int unsigned slot,
      input longint unsigned now);
  import "DPI-C" function int dcc_golden_wheel_take(input chandle w, input longint unsigned now,
      output int unsigned slot, output longint unsigned due);
  import "DPI-C" function chandle dcc_golden_pacer_new(input int unsigned flows,
      input int unsigned width, input int unsigned depth, input int unsigned scale,
      input int unsigned slack);
  import "DPI-C" function void dcc_golden_pacer_free(input chandle p);
  import "DPI-C" function int dcc_golden_pacer_pins(input chandle p, input longint unsigned cycle,
      input int unsigned paused, input int unsigned want);
  import "DPI-C" function int dcc_golden_pacer_post(input chandle p, input longint unsigned cycle,
      input int unsigned flow, input int unsigned bytes);
  import "DPI-C" function int dcc_golden_pacer_rate(input chandle p, input longint unsigned cycle,
      input int unsigned flow, input int unsigned rate, input int unsigned prio);
  import "DPI-C" function int dcc_golden_pacer_outputs(input chandle p,
      input longint unsigned cycle, output int unsigned flow, output int unsigned bytes);
endpackage
