// Constants and records of the controller; docs/controller-contract.md defines them.
// SPDX-License-Identifier: Apache-2.0
// Not every constant has a user in every module.
/* verilator lint_off UNUSED */
package dcc_controller_pkg;
  localparam int unsigned Distance   = 32;  // D: edges between two issues of one flow
  localparam int unsigned FirstOffer = 16;  // F: edges from a tick's beginning to its first timer event
  localparam int unsigned OfferPace  = 8;   // K: least number of edges between two timer events
  localparam int unsigned StepPace   = 4;   // S: additional edges for each tick between their due ticks
  localparam int unsigned ResetSlack = 16;  // R: edges of a soft reset beyond one for each slot
  localparam int unsigned Recovery   = 64;  // P: edges from an access that found events under way to its end

  // Kinds of events, in the order in which they are chosen.
  localparam logic [1:0] KindCnp     = 2'd0;
  localparam logic [1:0] KindTimer   = 2'd1;
  localparam logic [1:0] KindCommand = 2'd2;
  localparam logic [1:0] KindBytes   = 2'd3;

  localparam logic [16:0] One16        = 17'h10000;   // 1.0 in 1.16
  localparam logic signed [33:0] AccountLimit = 34'sd134217727;  // 2^27 - 1: packets the rate unit takes

  // The contents of an input besides its flow and slot.
  typedef struct packed {
    logic [1:0]  kind;
    logic        query;    // for commands, 1: query of a rate; 0: release
    logic [5:0]  dscp;     // CNP, bytes: DSCP of the flow
    logic [7:0]  marks;    // CNP
    logic [15:0] packets;  // CNP: packets since the CNP before (8 bits); bytes: joined notifications
    logic [31:0] data;     // bytes: sum of the lengths; timer: due tick in the wheel (17 bits); CNP: joined CNPs (8 bits)
    logic        late;     // timer: issued later than FirstOffer + Distance after its tick began
  } event_t;

  // Parameters of a slot in the parameter store, under the names of the patent and of DCQCN's law. The flow
  // number stands elsewhere (dc_lookup).
  typedef struct packed {
    logic        bound;
    logic [31:0] rc;
    logic [31:0] rt;
    logic [16:0] alpha;
    logic [7:0]  t;
    logic [7:0]  bc;
    logic [5:0]  dscp;
    logic [31:0] length;
    logic [31:0] latest;
    logic [16:0] due;
  } slot_t;

  // The same bits under the names of the proportional law: members of the same widths in the same order. A slot_t
  // is assigned to a view and a view to a slot_t as it is. models/core/controller/law/proportional.h has the
  // same names.
  typedef struct packed {
    logic        bound;
    logic [31:0] rc;
    logic [31:0] rt;
    logic [16:0] sent;     // packets sent since the last CNP; in a hold 1 if a clear notification is promised
    logic [7:0]  phase;    // 0: steady; 1 to MaxHold: intervals of a hold; above: 256 less the intervals of the
                           // fast phase that are left
    logic [7:0]  silent;   // intervals without a packet; in a hold the marks since the hold began
    logic [5:0]  dscp;
    logic [31:0] account;  // signed: unmarked packets less marks, in 1/256; 0 in a hold
    logic [31:0] latest;
    logic [16:0] due;
  } proportional_slot_t;

  localparam logic [7:0] MaxHold = 8'd160;  // intervals

  // The plan of an event, as decided before its rate is calculated.
  typedef struct packed {
    logic [1:0]  kind;
    logic        query;
    logic [15:0] packets;    // number of joined CNPs or byte notifications
    logic        late;
    logic [16:0] lateness;   // ticks
    logic        hit;        // the flow has a slot
    logic        first;      // a CNP that binds its flow
    logic        coalesced;
    logic        clear;      // a clear notification: a CNP without marks, which binds nothing
    logic        live;       // a timer event that is not stale
    logic        unbound;    // a timer event of a slot whose flow was released
    logic        restart;    // a CNP sets a later due tick
    logic        start;      // the wheel is started unless the event releases the slot
    logic [16:0] start_at;   // due tick that the wheel is given
    logic        write;      // the slot changes
    logic        cut;
    logic        keep;       // a cut that keeps the target rate
    logic        increase;
    logic        may_hold;   // a hold begins if owed is more than the flow sends in four intervals
    logic [34:0] owed;       // owed marks as a rate
    logic [31:0] lo;         // limits of the class
    logic [31:0] hi;
    logic [31:0] old_rc;     // Rc that the scheduler holds
    slot_t       slot;       // the new slot, except for calculated rates
  } plan_t;
endpackage
/* verilator lint_on UNUSED */
