common/ram_1r1w_array.sv
common/ram_1r1w.sv
pacer/rtl/dc_pacer_pkg.sv
pacer/rtl/dc_least.sv
pacer/rtl/dc_pacer_row.sv
pacer/rtl/dc_pacer_rate.sv
pacer/rtl/dc_pacer_queues.sv
pacer/rtl/dc_pacer.sv
