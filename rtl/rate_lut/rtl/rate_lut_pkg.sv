// Encodings of the rate unit. generated/dcc_rate_pkg.sv has its registers. Some modules do not use every
// constant.
/* verilator lint_off UNUSED */
package rate_lut_pkg;
  // Operations of the rate unit.
  localparam logic [1:0] OpDecrease = 2'd0;
  localparam logic [1:0] OpIncrease = 2'd1;
  localparam logic [1:0] OpRead     = 2'd2;  // table read, which passes the pipeline like a request

  // Stages of an increase: DCQCN's three stages; the proportional law uses StageAdditive.
  localparam logic [1:0] StageRecovery = 2'd0;
  localparam logic [1:0] StageAdditive = 2'd1;
  localparam logic [1:0] StageHyper    = 2'd2;

  // Tables, numbered like the windows of the register block.
  localparam logic [2:0] TableFactor   = 3'd0;  // index DSCP: [15:0] f_inc 8.8, [31:16] f_dec 4.12
  localparam logic [2:0] TableFloor    = 3'd1;  // table of least rates; index DSCP
  localparam logic [2:0] TableCeiling  = 3'd2;  // table of greatest rates; index DSCP
  localparam logic [2:0] TableDecayHi  = 3'd3;  // table of high decay factors in 1.16; index n[11:6]
  localparam logic [2:0] TableDecayLo  = 3'd4;  // table of low decay factors in 1.16; index n[5:0]
  localparam logic [2:0] TableDecrease = 3'd5;  // index argument[16:8]: multiplier of a cut, 1.16, interpolated

  localparam int unsigned DscpEntries     = 64;
  localparam int unsigned DecayEntries    = 64;
  localparam int unsigned DecreaseEntries = 257;

  localparam logic [16:0] One16         = 17'h10000;      // the value 1.0 in 1.16
  localparam logic [31:0] NeutralFactor = 32'h1000_0100;  // both factors f_dec and f_inc are 1.0

  // Number of cycles from the handshake of a request to its response, if the consumer takes the response at once.
  localparam int unsigned Latency = 16;
endpackage
/* verilator lint_on UNUSED */
