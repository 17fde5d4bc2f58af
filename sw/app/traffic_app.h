/* The traffic application: brings a host's controller and NIC up from the boot block, sends and
 * receives its flows, checks what arrives, and leaves a result block. One source for the native
 * driver and for firmware; no memory beyond `struct traffic_app` and the block's scratch area.
 *
 * Work per completion and per posted message does not depend on the number of flows. */
#ifndef DCC_APP_TRAFFIC_APP_H
#define DCC_APP_TRAFFIC_APP_H

#include <stdint.h>

#include "app/boot_block.h"
#include "driver/dcc_driver.h"
#include "driver/hal.h"
#include "driver/nic_driver.h"

#ifdef __cplusplus
extern "C" {
#endif

enum traffic_error {
  TRAFFIC_OK = 0,
  TRAFFIC_ERROR_MAGIC,
  TRAFFIC_ERROR_VERSION,
  TRAFFIC_ERROR_LAYOUT,
  TRAFFIC_ERROR_FLOW,              /* error_flow: number of the flow */
  TRAFFIC_ERROR_BUFFER,            /* error_flow: number of the flow */
  TRAFFIC_ERROR_CONTROLLER,        /* error_detail: enum dcc_error */
  TRAFFIC_ERROR_NIC,               /* error_detail: enum nic_error */
  TRAFFIC_ERROR_QUEUE_PAIR,        /* error_flow; error_detail: enum nic_error */
  TRAFFIC_ERROR_QOS,               /* invalid closed-loop part of the boot block */
  TRAFFIC_ERROR_CONTROLLER_ACCESS, /* error_detail: register offset of the refused access */
  TRAFFIC_ERROR_NIC_ACCESS,        /* error_detail: register offset of the refused access */
  TRAFFIC_ERROR_COMPLETION,        /* error_detail: qpn of an unexpected completion */
  /* After each of the following errors the application continues and reports the first
   * occurrence. */
  TRAFFIC_ERROR_MESSAGE_FAILED, /* error_flow; error_detail: enum nic_cqe_status */
  TRAFFIC_ERROR_PAYLOAD,        /* error_flow; error_detail: offset in the message */
  TRAFFIC_ERROR_SEQUENCE,       /* error_flow; error_detail: number of the message that arrived */
  TRAFFIC_ERROR_OVERRUN,        /* the controller's timing wheel fell 2^15 ticks behind */
  TRAFFIC_ERROR_CLASS,          /* error_flow; error_detail: enum nic_error */
  TRAFFIC_ERRORS,
};

/* The error as a sentence for people; never NULL. */
const char* traffic_error_text(enum traffic_error error);

struct traffic_tx_state;
struct traffic_rx_state;

struct traffic_app {
  const struct hal* hal;
  uint64_t block_address;
  struct boot_block* block;
  const struct boot_tx_flow* tx;
  const struct boot_rx_flow* rx;
  struct boot_tx_result* tx_result;
  struct boot_rx_result* rx_result;
  struct traffic_tx_state* tx_state;
  struct traffic_rx_state* rx_state;
  uint32_t* start_heap; /* heap of the indices of flows not yet started, earliest on top */
  uint32_t* rx_of_qpn;  /* index of the received flow + 1, by qpn; 0 = none */
  uint32_t start_count;
  uint32_t waiting_head; /* first flow waiting for room in the send ring (FIFO); index + 1 */
  uint32_t waiting_tail;
  uint32_t behind; /* 1: a full batch of completions is being processed */
  const struct boot_qos_peer* qos_peers;
  struct boot_qos_area* qos_area; /* NULL: no closed loop on this host */
  uint64_t class_next_ns;         /* time of the next change of a flow's class; BOOT_NEVER: none */
  uint64_t qos_next_ns;
  uint64_t qos_update_ns;
  struct dcc_controller dcc;
  struct nic nic;
};

/* Brings up controller, NIC and queue pairs. On an error nothing runs, and the block's result
 * (if there is a block) names the error and its place. */
enum traffic_error traffic_app_start(struct traffic_app* app, const struct hal* hal,
                                     uint64_t block_address);

/* Starts due flows, sleeps until an interrupt or the next start, and handles interrupts. Returns
 * 1 while work remains, 0 at the end time or after a fatal error. */
int traffic_app_step(struct traffic_app* app);

/* Number of messages of all flows of this host; UINT64_MAX if one of the flows is unlimited. */
struct traffic_work {
  uint64_t to_send;
  uint64_t to_receive;
};
struct traffic_work traffic_app_work(const struct traffic_app* app);
/* True if all messages have been sent and received, or have failed. */
int traffic_app_work_done(const struct traffic_app* app, struct traffic_work work);

/* Takes the remaining completions and writes the final state. */
enum traffic_error traffic_app_finish(struct traffic_app* app);

/* Runs start, all steps and finish; returns when the run is over. */
enum traffic_error traffic_app_run(struct traffic_app* app, const struct hal* hal,
                                   uint64_t block_address);

#ifdef __cplusplus
}
#endif

#endif
