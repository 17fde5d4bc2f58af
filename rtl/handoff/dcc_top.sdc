# Constraints of dcc_top: one clock, one asynchronous active-low reset, nothing else.
# Times in ns. The tick and every latency are counted in cycles, so another period is legal; the
# platform runs at 250 MHz.
set period 4.0
create_clock -name clk -period $period [get_ports clk_i]
set_clock_uncertainty [expr 0.05 * $period] [get_clocks clk]

# Asserted asynchronously; the integrator releases it synchronously to clk_i, one synchroniser for
# the whole block. Recovery and removal are checked from that synchroniser, not from the port.
set_false_path -from [get_ports rst_ni]

# Half of the period for the logic outside, on either side.
set_input_delay  -clock clk [expr 0.5 * $period] [get_ports {p*_i* cnp_*_i* bytes_*_i* command_*_i*}]
set_output_delay -clock clk [expr 0.5 * $period] [all_outputs]

# bytes_flow_i reaches bytes_ready_o within the cycle (an entry of the flow may take it), and so does
# psel_i, which stops the issue. Register the ready outside if that is too much.
