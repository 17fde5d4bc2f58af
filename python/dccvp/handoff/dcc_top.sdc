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
set_input_delay  -clock clk [expr 0.5 * $period] [get_ports {p*_i* hw2reg_i* slot_ready_i \
  slot_rdata_i* timer_*_i* expire_ready_i req_*_i* rsp_ready_i}]
set_output_delay -clock clk [expr 0.5 * $period] [all_outputs]

# rsp_ready_i reaches req_ready_o within the cycle: together with the delays above it takes all of it
# but nothing more. Register the consumer's ready if that is too much.
