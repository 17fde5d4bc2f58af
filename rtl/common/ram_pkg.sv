// Pins of the RAMs: from the ports of the block to every ram_1r1w_array, for the macros that replace it.
package ram_pkg;
  localparam int unsigned CfgW  = 8;         // bits of ram_cfg_i: margins, power, test; what they mean is the macro's
  localparam int unsigned PinsW = CfgW + 1;  // {scan_mode_i, ram_cfg_i}
endpackage
