#!/usr/bin/python3 -B
"""Records how the DCQCN of Tonic (NSDI 2020), written in Verilog, answers sequences of CNPs and packets.

    record.py CHECKOUT [--out FILE] [--simulator icarus | verilator]

CHECKOUT: a checkout of https://github.com/minmit/tonic. The script writes a bench around Tonic's two modules
user_defined_incoming and user_defined_timeout, runs it, and writes the sequences with the answers (tonic.csv). No line
of Tonic's code gets into the file. rtl/controller/doc/other_dcqcn.md describes how the modules are called.
"""
import argparse
import os
import subprocess
import sys
import tempfile
from typing import Any, List, Tuple

UNITS = ("src/user_defined_logic/dcqcn/user_defined_incoming.v", "src/user_defined_logic/dcqcn/user_defined_timeout.v")
HEADERS = ("include/system_params.vh", "include/clogb2.vh", "src/user_defined_logic/dcqcn/include/user_constants.vh")
FIELDS = ("target", "alpha", "stage", "byte_stage", "time_stage", "last", "alpha_timer", "rp_timer", "rhai_inc",
          "min_stage", "thresh", "rate")
ORIGIN = """\
# Answers of Tonic's DCQCN (https://github.com/minmit/tonic, commit 53b113bb0d8962dc5950785bbf010b19f27b1474, BSD
# licence of three clauses, Copyright (c) 2020 Princeton University). Recorded by record.py from a simulation of
# user_defined_incoming and user_defined_timeout; data, no code. Times are in cycles of 10 ns, rates in 1.5625 Mb/s.
# Events: start (greatest rate of the controller, packets of the byte counter), cnp (ECN field), visit (by the timer of
# the flow's turn), sent (one packet). cnp and visit are followed by the context after them, in the order of Tonic's
# fields: """

BENCH = """\
`include "system_params.vh"
`include "{incoming}"
`include "{timeout}"
module bench;
  reg [`USER_CONTEXT_W-1:0] context_q;
  reg [`TIME_W-1:0] now;
  reg [`FLOW_SEQ_NUM_W-1:0] total;
  reg [`PKT_DATA_W-1:0] data;
  wire [`USER_CONTEXT_W-1:0] after_cnp, after_visit;
  user_defined_incoming incoming (
    .pkt_type_in(`CNP_PKT), .pkt_data_in(data), .cumulative_ack_in(0), .selective_ack_in(0), .sack_tx_id_in(0),
    .now(now), .valid_selective_ack(0), .new_c_acks_cnt(0), .old_wnd_start_in(0), .acked_wnd_in(0), .rtx_wnd_in(0),
    .tx_cnt_wnd_in(0), .wnd_start_in(0), .wnd_size_in(0), .next_new_in(0), .rtx_timer_amnt_in(0),
    .total_tx_cnt_in(total), .user_cntxt_in(context_q), .user_cntxt_out(after_cnp));
  user_defined_timeout timeout (
    .timeout_expired(1'b0), .now(now), .acked_wnd_in(0), .rtx_wnd_in(0), .tx_cnt_wnd_in(0), .wnd_start_in(0),
    .wnd_size_in(0), .next_new_in(0), .rtx_timer_amnt_in(0), .total_tx_cnt_in(total), .user_cntxt_in(context_q),
    .user_cntxt_out(after_visit));
  reg [`RATE_W-1:0] target, rhai_inc, rate;
  reg [`ALPHA_W-1:0] alpha;
  reg [`STAGE_W-1:0] stage;
  reg [`SUB_STAGE_W-1:0] byte_stage, time_stage, min_stage;
  reg [`FLOW_SEQ_NUM_W-1:0] last, thresh;
  reg [`TIMER_W-1:0] alpha_timer, rp_timer;
  integer events, kind, value;
  initial begin
    events = $fopen("{stimulus}", "r");
    while ($fscanf(events, "%d %d %d %d\\n", kind, now, value, total) == 4) begin
      if (kind == 0) begin  // start: value is the rate, total the packets of the byte counter
        rate = value; target = value; alpha = 1 << `ALPHA_B; stage = 0; byte_stage = 0; time_stage = 0; last = 0;
        alpha_timer = `ALPHA_RESUME_INTERVAL; rp_timer = `RP_TIMER; rhai_inc = 0; min_stage = 0; thresh = total;
        context_q = {{{fields}}};
      end else begin
        data = value;
        #1 context_q = kind == 1 ? after_cnp : after_visit;
      end
      #1 {{{fields}}} = context_q;
      $display("context {formats}", {fields});
    end
    $finish;
  end
endmodule
"""


class Draw:
    """Random numbers that are the same with every version of Python."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def below(self, limit: int) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & ((1 << 64) - 1)
        return (self.state >> 33) % limit


def sequence(rate, thresh, length, cnps, gap, seed):
    """Returns the events of one run as (time, name, value). Inputs come in the middle of a microsecond, at most one in
    each, and visits every 1024 cycles at even times, so no two events share a cycle. `cnps`: microsecond -> ECN field.
    A packet is sent every `gap` microseconds or sooner."""
    draw = Draw(seed)
    events: List[Tuple[int, str, Any]] = [(0, "start", (rate, thresh))]
    events += [(time, "visit", 0) for time in range(1032, 100 * length, 1024)]
    next_packet = 2
    for tick in range(2, length):
        if tick in cnps:
            events.append((100 * tick + 55, "cnp", cnps[tick]))
        elif tick >= next_packet:
            events.append((100 * tick + 55, "sent", 1))
            next_packet = tick + 1 + draw.below(gap)
    return sorted(events, key=lambda event: event[0])


def every(first, last, step, ecn=3):
    return dict.fromkeys(range(first, last, step), ecn)


def sequences():
    """The runs of the recording. Rates are in 1.5625 Mb/s: 6400 are 10 Gb/s."""
    return {
        # cuts in a row, a recovery into all three stages, and cuts from there
        "ten": sequence(6400, 20, 2600, {**every(303, 700, 50), 811: 3, **every(1900, 2300, 60)}, 8, 1),
        # a byte counter that takes long, so that the timer alone leads to the additive stage
        "time": sequence(6400, 60, 1500, {230: 3, 260: 3, 1300: 3}, 15, 2),
        # 100 Gb/s: products of more than 32 bits
        "hundred": sequence(64000, 30, 1200, {**every(200, 420, 55), 900: 3}, 8, 3),
        # CNPs whose ECN field is not 3
        "field": sequence(6400, 25, 1100, {210: 3, **every(240, 500, 20, 1), **every(700, 760, 30, 2)}, 8, 4),
        # no CNP for long: counts of events beyond 255, rates beyond 17 bits
        "long": sequence(6400, 10, 4200, {150: 3, 180: 3, 4000: 3}, 12, 5),
    }


def simulate(checkout, events, simulator, work):
    """Returns the contexts after the events, one line each."""
    stimulus, bench = os.path.join(work, "events.txt"), os.path.join(work, "bench.v")
    total, lines = 0, []
    for time, name, value in events:
        if name == "start":
            lines.append(f"0 0 {value[0]} {value[1]}")
        elif name == "sent":
            total += 1
        else:
            lines.append(f"{1 if name == 'cnp' else 2} {time} {value} {total}")
    with open(stimulus, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    incoming, timeout = (os.path.join(checkout, unit) for unit in UNITS)
    with open(bench, "w", encoding="utf-8") as file:
        file.write(BENCH.format(incoming=incoming, timeout=timeout, stimulus=stimulus, fields=", ".join(FIELDS),
                                formats=" ".join(["%0d"] * len(FIELDS))))
    folders = sorted({os.path.dirname(os.path.join(checkout, header)) for header in HEADERS})
    includes = [f"-I{folder}" for folder in folders]
    if simulator == "icarus":
        program = [os.path.join(work, "bench.vvp")]
        commands = [["iverilog", "-g2005-sv", "-o", program[0], *includes, bench], ["vvp", *program]]
    else:
        commands = [["verilator", "--binary", "-Wno-fatal", "-Wno-lint", "--timing", "--top-module", "bench", "--Mdir",
                     os.path.join(work, "obj"), *includes, bench], [os.path.join(work, "obj", "Vbench")]]
    for command in commands:
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        if result.returncode != 0:
            sys.exit(f"record.py: {' '.join(command)} failed:\n{result.stdout[-2000:]}{result.stderr[-3000:]}")
    contexts = [line.split()[1:] for line in result.stdout.splitlines() if line.startswith("context ")]
    if len(contexts) != len(lines):
        sys.exit(f"record.py: {len(contexts)} answers to {len(lines)} events:\n{result.stdout[-2000:]}")
    return contexts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout")
    parser.add_argument("--out", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "tonic.csv"))
    parser.add_argument("--simulator", choices=["icarus", "verilator"], default="icarus")
    options = parser.parse_args()
    checkout = os.path.abspath(options.checkout)
    missing = [name for name in UNITS + HEADERS if not os.path.isfile(os.path.join(checkout, name))]
    if missing:
        sys.exit(f"record.py: {checkout} is no checkout of https://github.com/minmit/tonic: "
                 f"{', '.join(missing)} missing")
    count = 0
    with tempfile.TemporaryDirectory() as work:
        text = ORIGIN + ", ".join(FIELDS) + ".\nrun,time,event,value,context\n"
        for name, events in sequences().items():
            contexts = iter(simulate(checkout, events, options.simulator, work))
            for time, event, value in events:
                if event == "sent":
                    text += f"{name},{time},sent,1,\n"
                    continue
                shown = "/".join(map(str, value)) if event == "start" else value
                text += f"{name},{time},{event},{shown},{' '.join(next(contexts))}\n"
                count += 1
    with open(options.out, "w", encoding="utf-8") as file:
        file.write(text)
    print(f"{options.out}: {len(sequences())} runs, {count} contexts")
    return 0


if __name__ == "__main__":
    sys.exit(main())
