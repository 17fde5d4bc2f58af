// Encodings of the timing wheel.
package timing_wheel_pkg;
  // Commands of the timing wheel.
  localparam logic [1:0] CmdStart  = 2'd0;  // start, or restart if the slot is started
  localparam logic [1:0] CmdCancel = 2'd1;
  localparam logic [1:0] CmdRead   = 2'd2;  // 2 or 3: reads whether a slot is started, and its due time

  // Level of the wheel to which a due time belongs.
  localparam logic [1:0] LevelTop    = 2'd0;
  localparam logic [1:0] LevelMiddle = 2'd1;
  localparam logic [1:0] LevelLast   = 2'd2;

  // Places where the event of a slot can be.
  localparam logic [1:0] HeldNowhere = 2'd0;  // nowhere: the slot's timer is not started
  localparam logic [1:0] HeldInList  = 2'd1;  // the event is in a list of the top or middle level
  localparam logic [1:0] HeldInRow   = 2'd2;  // the event is a bit in a row of the last level
endpackage
