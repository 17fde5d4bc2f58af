/* The traffic application brings up a host's controller and NIC from the boot block, sends and
 * receives flows, verifies received payload, and writes a result block. The native driver and
 * firmware use the same source. The application needs no memory beyond `struct traffic_app` and the
 * block's scratch area.
 *
 * The work for a completion or a posted message does not depend on the number of flows. */
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
  /* invalid flow in the boot block; error_flow: number of the flow */
  TRAFFIC_ERROR_FLOW,
  TRAFFIC_ERROR_BUFFER, /* invalid message buffer; error_flow: number of the flow */
  /* the controller's driver failed; error_detail: enum dcc_error */
  TRAFFIC_ERROR_CONTROLLER,
  TRAFFIC_ERROR_NIC, /* the NIC's driver failed; error_detail: enum nic_error */
  /* a queue pair was refused; error_flow; error_detail: enum nic_error */
  TRAFFIC_ERROR_QUEUE_PAIR,
  TRAFFIC_ERROR_QOS, /* invalid closed-loop part of the boot block */
  /* the controller refused an access; error_detail: register offset of the access */
  TRAFFIC_ERROR_CONTROLLER_ACCESS,
  /* the NIC refused an access; error_detail: register offset of the access */
  TRAFFIC_ERROR_NIC_ACCESS,
  /* a completion was unexpected; error_detail: qpn of the completion */
  TRAFFIC_ERROR_COMPLETION,
  /* After each of the following errors the application continues and reports the first
   * occurrence. */
  /* a message failed; error_flow; error_detail: enum nic_cqe_status */
  TRAFFIC_ERROR_MESSAGE_FAILED,
  /* a received byte is wrong; error_flow; error_detail: offset in the message */
  TRAFFIC_ERROR_PAYLOAD,
  /* a message is missing, repeated or of wrong length; error_flow; error_detail: number of the
     message that arrived */
  TRAFFIC_ERROR_SEQUENCE,
  TRAFFIC_ERROR_OVERRUN, /* the controller's timing wheel fell 2^15 ticks behind */
  /* the NIC refused a flow's new DSCP; error_flow; error_detail: enum nic_error */
  TRAFFIC_ERROR_CLASS,
  TRAFFIC_ERRORS,
};

/* Returns the error as a sentence for people; never NULL. */
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
  /* heap of the indices of flows that have not started, ordered by start time */
  uint32_t* start_heap;
  /* index of the received flow + 1, by qpn; 0 = the queue pair receives no flow */
  uint32_t* rx_of_qpn;
  uint32_t start_count;
  uint32_t waiting_head; /* first flow waiting for room in the send ring (FIFO); index + 1 */
  uint32_t waiting_tail;
  uint32_t behind; /* 1: completions fill a whole batch, so more may wait */
  const struct boot_qos_peer* qos_peers;
  /* memory of the QoS manager's closed loop; NULL: this host takes no part in the loop */
  struct boot_qos_area* qos_area;
  uint64_t class_next_ns; /* time of the next change of a flow's class; BOOT_NEVER: none */
  uint64_t qos_next_ns;
  uint64_t qos_update_ns;
  struct dcc_controller dcc;
  struct nic nic;
};

/* Brings up controller, NIC and queue pairs. After an error no flow runs, and the result block (if
 * there is a boot block) names the error and its place. */
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
/* True if each message of this host has been sent or received, or has failed. */
int traffic_app_work_done(const struct traffic_app* app, struct traffic_work work);

/* Takes the remaining completions from the ring and writes the final state of the application. */
enum traffic_error traffic_app_finish(struct traffic_app* app);

/* Calls the start function, all steps and the finish function; returns when the run is over. */
enum traffic_error traffic_app_run(struct traffic_app* app, const struct hal* hal,
                                   uint64_t block_address);

#ifdef __cplusplus
}
#endif

#endif
