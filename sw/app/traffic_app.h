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
  TRAFFIC_ERROR_FLOW,              /* error_flow */
  TRAFFIC_ERROR_BUFFER,            /* error_flow */
  TRAFFIC_ERROR_CONTROLLER,        /* error_detail: enum dcc_error */
  TRAFFIC_ERROR_NIC,               /* error_detail: enum nic_error */
  TRAFFIC_ERROR_QUEUE_PAIR,        /* error_flow; error_detail: enum nic_error */
  TRAFFIC_ERROR_QOS,               /* the closed loop's part of the boot block */
  TRAFFIC_ERROR_CONTROLLER_ACCESS, /* error_detail: register offset of the refused access */
  TRAFFIC_ERROR_NIC_ACCESS,        /* error_detail: register offset of the refused access */
  TRAFFIC_ERROR_COMPLETION,        /* error_detail: qpn of a completion nobody waits for */
  /* From here on the application goes on and reports the first occurrence. */
  TRAFFIC_ERROR_MESSAGE_FAILED, /* error_flow; error_detail: enum nic_cqe_status */
  TRAFFIC_ERROR_PAYLOAD,        /* error_flow; error_detail: offset in the message */
  TRAFFIC_ERROR_SEQUENCE,       /* error_flow; error_detail: number of the message that came */
  TRAFFIC_ERROR_OVERRUN,        /* the controller's timing wheel fell 2^15 ticks behind */
  TRAFFIC_ERRORS,
};

/* A sentence for people; never NULL. */
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
  uint32_t* start_heap; /* indices of flows not yet started, earliest on top */
  uint32_t* rx_of_qpn;  /* index of the received flow + 1; 0 = none */
  uint32_t start_count;
  uint32_t waiting_head; /* flows that found the send ring full, first in first out; index + 1 */
  uint32_t waiting_tail;
  uint32_t behind; /* 1: a full batch of completions is being worked through */
  const struct boot_qos_peer* qos_peers;
  struct boot_qos_area* qos_area; /* NULL: no closed loop on this host */
  uint64_t qos_next_ns;
  uint64_t qos_update_ns;
  struct dcc_controller dcc;
  struct nic nic;
};

/* Brings everything up. On an error the block's result says what and where (if there is a block);
 * nothing is running then. */
enum traffic_error traffic_app_start(struct traffic_app* app, const struct hal* hal,
                                     uint64_t block_address);

/* Starts what is due, sleeps until an interrupt or the next start, handles interrupts. Returns 1
 * while there is more to do, 0 at the end time or after a fatal error. */
int traffic_app_step(struct traffic_app* app);

/* Messages of all this host's flows; UINT64_MAX if one of them is unlimited. */
struct traffic_work {
  uint64_t to_send;
  uint64_t to_receive;
};
struct traffic_work traffic_app_work(const struct traffic_app* app);
/* Whether all of it has been sent and received, or has failed. */
int traffic_app_work_done(const struct traffic_app* app, struct traffic_work work);

/* Takes the last completions and writes the final state. */
enum traffic_error traffic_app_finish(struct traffic_app* app);

/* All three: returns when the run is over. */
enum traffic_error traffic_app_run(struct traffic_app* app, const struct hal* hal,
                                   uint64_t block_address);

#ifdef __cplusplus
}
#endif

#endif
