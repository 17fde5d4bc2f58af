nic/rtl/dc_axil_apb.sv
nic/rtl/dc_app_regs.sv
nic/rtl/dc_send_queues.sv
nic/rtl/dc_rate_queue.sv
nic/rtl/dc_cnp_mux.sv
nic/rtl/dcc_app_block.sv
