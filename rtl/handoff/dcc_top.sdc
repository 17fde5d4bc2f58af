# Timing constraints of dcc_top: one clock, one asynchronous active-low reset, no other constraints. Times are in
# ns. The tick and every latency are counted in cycles, so another clock period is legal; the platform
# runs at 250 MHz. A script that sets `period` or `share` before it reads this file gets these instead.
if {![info exists period]} { set period 4.0 }
create_clock -name clk -period $period [get_ports clk_i]
set_clock_uncertainty [expr 0.05 * $period] [get_clocks clk]

# With ClockGate = 1 the clock goes through two gates (dc_clock_gate): clk is the clock behind them, too, and their enables
# are checked against it. No generated clock is needed.

# Reset: asserted asynchronously; the integrator releases it synchronously to clk_i, with one synchroniser for the
# whole block. Recovery and removal are checked from that synchroniser, not from the port.
set_false_path -from [get_ports rst_ni]

# Logic outside the block has a quarter of the clock period, at inputs and at outputs. Combinational paths lead from
# bytes_flow_i to bytes_ready_o (an entry of the same flow may accept the notification) and from psel_i, which stops the
# issue of events: they get what is left, 45 % of the period. If these paths are too long, register the ready signal
# outside.
if {![info exists share]} { set share 0.25 }
set outside [expr $share * $period]
set_input_delay  -clock clk $outside [get_ports {p*_i* cnp_*_i* bytes_*_i* command_*_i* scan_mode_i ram_cfg_i*}]

# Pins of the RAMs: constant while rst_ni is 1.
set_false_path -from [get_ports {scan_mode_i ram_cfg_i*}]
set_output_delay -clock clk $outside [all_outputs]
