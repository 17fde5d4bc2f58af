// Constants and records of the controller; docs/controller-contract.md defines them.
// SPDX-License-Identifier: Apache-2.0
// Some modules do not use every constant.
/* verilator lint_off UNUSED */
package dcc_controller_pkg;
  localparam int unsigned Distance   = 32;  // D: edges between two issues of one flow
  localparam int unsigned FirstOffer = 16;  // F: edges from a tick's beginning to its first timer event
  localparam int unsigned OfferPace  = 8;   // K: least number of edges between two timer events
  localparam int unsigned StepPace   = 4;   // S: additional edges for each tick between their due ticks
  localparam int unsigned ResetSlack = 16;  // R: edges of a soft reset beyond one for each slot
  localparam int unsigned Recovery   = 64;  // P: edges from an access that found events under way to its end

  // Kinds of events, in the order of the arbiter's priority.
  localparam logic [1:0] KindCnp     = 2'd0;
  localparam logic [1:0] KindTimer   = 2'd1;
  localparam logic [1:0] KindCommand = 2'd2;
  localparam logic [1:0] KindBytes   = 2'd3;

  localparam logic [16:0] One16        = 17'h10000;   // the value 1.0 in the format 1.16
  localparam logic signed [33:0] AccountLimit = 34'sd134217727;  // 2^27 - 1: maximum packet count of the rate unit

  // Fields of an input event besides its flow and slot.
  typedef struct packed {
    logic [1:0]  kind;
    logic        query;    // kind command: 1: query of a rate; 0: release of a slot
    logic [5:0]  dscp;     // CNP, bytes: DSCP of the flow
    logic [7:0]  marks;    // CNP: number of marks
    logic [15:0] packets;  // CNP: packets since the previous CNP (8 bits); bytes: number of joined notifications
    logic [31:0] data;     // bytes: sum of the lengths; timer: due tick in the wheel (17 bits); CNP: joined CNPs (8 bits)
    logic        late;     // timer: the event was issued later than FirstOffer + Distance after its tick began
  } event_t;

  // Parameters of a slot in the parameter store, under the names of the patent and of DCQCN's law. The memory for flow
  // numbers is in dc_lookup.
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

  // The same bits under the names of the proportional law: members of equal widths in equal order. A slot_t can be
  // assigned to a proportional_slot_t, and vice versa, without conversion. models/core/controller/law/proportional.h
  // uses the same member names.
  typedef struct packed {
    logic        bound;
    logic [31:0] rc;
    logic [31:0] rt;
    logic [16:0] sent;     // packets sent since the last CNP; in a rate hold, 1: a clear notification is promised
    logic [7:0]  phase;    // 0: steady; 1 to MaxHold: intervals of a rate hold; above: 256 minus the remaining
                           // intervals of the fast phase
    logic [7:0]  silent;   // intervals without a packet; in a rate hold, the marks since the hold began
    logic [5:0]  dscp;
    logic [31:0] account;  // signed: unmarked packets less marks, in 1/256 packet; 0 in a rate hold
    logic [31:0] latest;
    logic [16:0] due;
  } proportional_slot_t;

  localparam logic [7:0] MaxHold = 8'd160;  // longest rate hold, in intervals

  // Plan of an event, as decided before the rate unit calculates the rate.
  typedef struct packed {
    logic [1:0]  kind;
    logic        query;
    logic [15:0] packets;    // number of joined CNPs or byte notifications in the event
    logic        late;
    logic [16:0] lateness;   // lateness of a timer event in ticks
    logic        hit;        // the event's flow has a slot
    logic        first;      // the event is a CNP that binds its flow
    logic        coalesced;
    logic        clear;      // the event is a clear notification: a CNP without marks, which binds no slot
    logic        live;       // the event is a timer event that is not stale
    logic        unbound;    // the event is a timer event of a slot whose flow was released
    logic        restart;    // the CNP sets a later due tick
    logic        start;      // the wheel is started unless the event releases the slot
    logic [16:0] start_at;   // due tick of the timer's start
    logic        write;      // the event changes its slot's parameters
    logic        cut;
    logic        keep;       // the event is a cut that keeps the target rate
    logic        increase;
    logic        may_hold;   // a rate hold begins if owed is more than the flow sends in four intervals
    logic [34:0] owed;       // owed marks of the flow as a rate
    logic [31:0] lo;         // minimum and maximum rate of the DSCP class
    logic [31:0] hi;
    logic [31:0] old_rc;     // rate Rc of the slot before the event
    slot_t       slot;       // contents to write to the slot, except the calculated rates
  } plan_t;
endpackage
/* verilator lint_on UNUSED */
