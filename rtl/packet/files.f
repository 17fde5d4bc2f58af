common/ram_1r1w_array.sv
common/ram_1r1w.sv
parity/ram_parity.sv
controller/rtl/dc_fifo.sv
packet/rtl/dc_parser_pkg.sv
packet/rtl/dc_cnp_crc.sv
packet/rtl/dc_parser.sv
packet/rtl/dc_notifier.sv
