/* Interface between a NIC's program cores and a congestion-control program (docs/programs.md).
 *
 * A program is a set of handlers, one for each kind of event. The NIC calls a handler with the
 * event, the flow's context and a result; the handler changes the context, fills the result and
 * returns. Handlers of one flow run one after another. All numbers are unsigned and
 * little-endian. The model of the NIC includes this file, too. */
#ifndef DCC_PROGRAM_H
#define DCC_PROGRAM_H

#include <stdint.h>

/* Memory of the cores: code and constants (not writable), and data. No other address is
 * mapped. */
#define DCC_CODE_BASE 0x10000000u
#define DCC_CODE_BYTES 0x40000u
#define DCC_DATA_BASE 0x20000000u
/* bytes of stacks, one stack for each core, from DCC_DATA_BASE on */
#define DCC_STACK_BYTES 0x1000u
/* Addresses of stack, event, context, result and values; the program's data begin behind them. */
#define DCC_RESERVED_BYTES 0x2000u
#define DCC_EVENT_ADDRESS (DCC_DATA_BASE + 0x1000u)
#define DCC_RESULT_ADDRESS (DCC_DATA_BASE + 0x1100u)
#define DCC_CONTEXT_ADDRESS (DCC_DATA_BASE + 0x1200u)
#define DCC_HOPS_ADDRESS (DCC_DATA_BASE + 0x1300u)
#define DCC_VALUES_ADDRESS (DCC_DATA_BASE + 0x1400u)
#define DCC_TRACE_ADDRESS 0xF0000000u

#define DCC_MAX_CONTEXT_BYTES 256u
#define DCC_MAX_VALUES 32u
#define DCC_PROGRAM_TIMERS 3u
#define DCC_MAX_HOPS 6u

enum dcc_event_kind {
  DCC_START, /* a flow starts */
  DCC_CNP,   /* a notification of congestion marks arrived */
  DCC_ACK,   /* an acknowledgement arrived */
  DCC_NACK,  /* the receiver reported a gap in the packet sequence */
  DCC_SENT,  /* the flow sent more bytes than its threshold: see dcc_result.sent_bytes */
  DCC_TIMER, /* a timer of the flow expired */
  DCC_EVENT_KINDS
};

/* Bits of dcc_event.flags. */
#define DCC_LAST_OF_MESSAGE 1u
#define DCC_MORE_WAITING 2u /* SENT: the flow has more data to send */
#define DCC_WINDOW_FULL 4u  /* SENT: the flow's window admits no further packet */

/* Rates count wire bits, in units of 1/256 Mb/s. Times are picoseconds of simulated time. */
struct dcc_event {
  uint32_t kind;         /* kind of the event, enum dcc_event_kind */
  uint32_t flow;         /* number of the flow within its NIC */
  uint64_t time_ps;      /* simulated time of the event, or of the newest of merged events */
  uint64_t rtt_ps;       /* ACK: round-trip time of the newest acknowledged packet */
  uint64_t base_rtt_ps;  /* round-trip time of the flow's path without queues */
  uint64_t flow_bytes;   /* START: payload bytes of the flow; 0: unknown */
  uint32_t rate;         /* current pacing rate of the flow */
  uint32_t line_rate;    /* rate of the NIC's port in 1/256 Mb/s */
  uint32_t bytes;        /* ACK: payload newly acknowledged; SENT: wire bytes since the last SENT */
  uint32_t payload;      /* SENT: payload bytes since the last SENT */
  uint32_t merged;       /* number of events that this event stands for */
  uint32_t marks;        /* CNP: marked packets; ACK: ACKs that report a mark */
  uint32_t packets;      /* CNP: packets since the last CNP, 0: not counted; ACK: ACKs */
  uint32_t psn;          /* ACK: PSN of the acknowledged packet; SENT: of the packet */
  uint32_t next_psn;     /* ACK: PSN of the packet that the flow sends next */
  uint32_t flags;        /* properties of the event, bits such as DCC_LAST_OF_MESSAGE */
  uint32_t timer;        /* TIMER: number of the timer that expired */
  uint32_t initial_rate; /* START: rate requested by the application; 0: the program chooses */
  uint32_t mtu;          /* payload bytes of a full packet */
  uint32_t dscp;
  uint32_t nic;  /* number of the NIC, unique in the network */
  uint32_t core; /* number of the core that runs the handler */
  uint32_t hops; /* ACK with DCC_TELEMETRY: number of links that reported, see dcc_hops() */
};

/* Telemetry of one port, which the port added to the acknowledged packet when it sent the packet.
 * */
struct dcc_hop {
  uint64_t time_ps;  /* time at which the port sent the packet, by the port's clock */
  uint64_t tx_bytes; /* bytes that the port has sent so far */
  uint32_t queue;    /* bytes in the port's queue when the packet was sent */
  uint32_t rate;     /* rate of the link, in 1/256 Mb/s */
};

/* Bits of dcc_result.set: members that the handler has set. Unset members keep their values. */
#define DCC_SET_RATE 1u
#define DCC_SET_WINDOW 2u
#define DCC_SET_SENT_BYTES 4u
#define DCC_SET_VIEW 8u
#define DCC_SET_TIMER 0x10u  /* << number of the timer: starts or restarts the timer */
#define DCC_STOP_TIMER 0x80u /* << number of the timer: stops the timer */

#define DCC_NO_WINDOW 0xFFFFFFFFu
#define DCC_NO_SENT 0xFFFFFFFFu

struct dcc_result {
  uint32_t set;
  uint32_t rate;
  uint32_t window; /* greatest number of payload bytes in flight; DCC_NO_WINDOW: no limit */
  /* Delays of the timers, counted from the time at which the result takes effect; 0 counts as 1. */
  uint32_t timer_ns[DCC_PROGRAM_TIMERS];
  /* A SENT event happens when the flow's counter of wire bytes exceeds sent_bytes, which is then
   * subtracted from the counter; 0: after every packet; DCC_NO_SENT: never. Setting sent_bytes
   * clears the counter. */
  uint32_t sent_bytes;
  uint32_t target; /* target rate of the flow, for series and debugging */
  uint32_t alpha;  /* congestion estimate of the flow, for series and debugging; 65536 is 1 */
};

/* Bits of dcc_program.flags. */
#define DCC_EACH_ACK 1u  /* receivers acknowledge every packet */
#define DCC_MARKS 2u     /* ACKs report congestion marks */
#define DCC_TELEMETRY 8u /* packets collect the load of links; merged events keep the newest */
#define DCC_RTT_FROM_DUE \
  4u /* a round trip begins when its packet was due to be sent, so waiting in the NIC counts */

#ifdef __riscv
typedef void (*dcc_handler)(const struct dcc_event *event, void *context,
                            struct dcc_result *result);
typedef const void *dcc_address;
extern const char __global_pointer$[];
#else
typedef uint32_t dcc_handler; /* address of a handler in the program's memory */
typedef uint32_t dcc_address;
#endif

#define DCC_PROGRAM_MAGIC 0x50434344u /* the description begins with the bytes "DCCP" in memory */
#define DCC_PROGRAM_ABI 1u

/* Description of a program, at DCC_CODE_BASE. Events without a handler are not delivered. */
struct dcc_program {
  uint32_t magic;
  uint32_t abi;
  dcc_address global_pointer;
  /* bytes of a flow's context, at most those of the NIC; cleared when the flow starts */
  uint32_t context_bytes;
  uint32_t flags;
  uint32_t sent_bytes; /* initial value of a flow's dcc_result.sent_bytes */
  dcc_handler on_start;
  dcc_handler on_cnp;
  dcc_handler on_ack;
  dcc_handler on_nack;
  dcc_handler on_sent;
  dcc_handler on_timer;
};

#ifdef __riscv

#ifdef __cplusplus
#define DCC_PROGRAM_LINKAGE extern "C"
#else
#define DCC_PROGRAM_LINKAGE
#endif

/* Defines the program; use once, in one source of C or C++17:
 *   DCC_PROGRAM(.context_bytes = sizeof(struct flow), .on_cnp = cut, .on_timer = rise); */
#define DCC_PROGRAM(...)                                                                     \
  _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")                         \
      DCC_PROGRAM_LINKAGE const struct dcc_program dcc_program                               \
      __attribute__((section(".dcc_program"), used)) = {.magic = DCC_PROGRAM_MAGIC,          \
                                                        .abi = DCC_PROGRAM_ABI,              \
                                                        .global_pointer = __global_pointer$, \
                                                        __VA_ARGS__}

static inline void dcc_set_rate(struct dcc_result *result, uint32_t rate) {
  result->rate = rate;
  result->set |= DCC_SET_RATE;
}
static inline void dcc_set_window(struct dcc_result *result, uint32_t bytes) {
  result->window = bytes;
  result->set |= DCC_SET_WINDOW;
}
/* `timer` is below DCC_PROGRAM_TIMERS; any other number ends the handler by a fault. */
static inline void dcc_start_timer(struct dcc_result *result, uint32_t timer, uint32_t ns) {
  if (timer >= DCC_PROGRAM_TIMERS) __builtin_trap();
  result->timer_ns[timer] = ns;
  result->set |= DCC_SET_TIMER << timer;
}
static inline void dcc_stop_timer(struct dcc_result *result, uint32_t timer) {
  if (timer >= DCC_PROGRAM_TIMERS) __builtin_trap();
  result->set |= DCC_STOP_TIMER << timer;
}
static inline void dcc_count_sent(struct dcc_result *result, uint32_t bytes) {
  result->sent_bytes = bytes;
  result->set |= DCC_SET_SENT_BYTES;
}
static inline void dcc_show(struct dcc_result *result, uint32_t target, uint32_t alpha) {
  result->target = target;
  result->alpha = alpha;
  result->set |= DCC_SET_VIEW;
}

/* Returns the telemetry of the links on the acknowledged packet's path; event->hops entries. */
static inline const struct dcc_hop *dcc_hops(void) {
  return (const struct dcc_hop *)DCC_HOPS_ADDRESS;
}

/* Returns entry `index` of `values` in the configuration; `otherwise` if the list is shorter. */
static inline uint32_t dcc_value(uint32_t index, uint32_t otherwise) {
  const volatile uint32_t *const values = (const volatile uint32_t *)DCC_VALUES_ADDRESS;
  return index < values[0] ? values[1 + index] : otherwise;
}

/* Writes a line to the run's trace of programs: %d %i %u %x %X %c %s %%, with flags and width.
 * Arguments are 32-bit numbers; cast pointers for %s. */
#define dcc_trace(format, ...)                                                          \
  do {                                                                                  \
    const uint32_t dcc_arguments_[] = {0, ##__VA_ARGS__};                               \
    dcc_trace_arguments((format), dcc_arguments_ + 1, sizeof dcc_arguments_ / 4u - 1u); \
  } while (0)
static inline void dcc_trace_arguments(const char *format, const uint32_t *arguments,
                                       uint32_t count) {
  volatile uint32_t *const device = (volatile uint32_t *)DCC_TRACE_ADDRESS;
  device[1] = (uint32_t)arguments;
  device[2] = count;
  __asm__ volatile("" ::: "memory");
  device[0] = (uint32_t)format;
}

#endif /* __riscv */
#endif
