regs/generated/dcc_regs_pkg.sv
rate_lut/rtl/rate_lut_pkg.sv
rate_lut/generated/dcc_rate_pkg.sv
controller/rtl/dcc_controller_pkg.sv
packet/rtl/dc_parser_pkg.sv
pacer/rtl/dc_pacer_pkg.sv
common/dc_axis_slice.sv
common/ram_pkg.sv
common/ram_1r1w.sv
common/lowest_bit.sv
common/next_in_ring.sv
secded/secded_code.sv
secded/ram_guarded.sv
secded/ram_reports.sv
controller/rtl/dc_fifo.sv
box controller/rtl/dcc_top.sv
box pacer/rtl/dc_pacer.sv
box packet/rtl/dc_parser.sv
box packet/rtl/dc_sent.sv
box packet/rtl/dc_notifier.sv
