/* State of a flow, shared by the parts of the traffic application and stored in the boot block's
 * scratch area. Private to app/. */
#ifndef DCC_APP_TRAFFIC_STATE_H
#define DCC_APP_TRAFFIC_STATE_H

#include "app/traffic_app.h"

struct traffic_tx_state {
  uint64_t bytes_left;    /* bytes of the flow that are not yet posted; UINT64_MAX = unlimited */
  uint64_t filled_slots;  /* bit s: slot s holds a whole pattern, so a stamp suffices */
  uint32_t next_message;  /* number of the message that is posted next */
  uint32_t next_complete; /* number of the message whose completion is expected next */
  uint32_t in_flight;
  uint32_t waiting_next; /* index + 1 of the next flow in the waiting list */
  uint8_t waiting;
  uint8_t failed;
  uint8_t class_changed; /* 1: the flow already has its second DSCP */
  uint8_t reserved[13];
};
DCC_ASSERT_SIZE(traffic_tx_state, BOOT_TX_STATE_BYTES);

struct traffic_rx_state {
  uint64_t bytes_left; /* bytes of the flow that are not yet received; UINT64_MAX = unlimited */
  uint32_t next_message;
  struct qos_flow meter;
};
DCC_ASSERT_SIZE(traffic_rx_state, BOOT_RX_STATE_BYTES);

#define TRAFFIC_NO_FLOW UINT32_MAX

/* Records the first error with its sentence in the result block. */
void traffic_report(struct traffic_app* app, enum traffic_error error, uint32_t flow_id,
                    uint32_t detail, const char* explanation);

/* Checks the block at app->block_address and sets every pointer of `app`. */
enum traffic_error traffic_boot(struct traffic_app* app);

/* Posts messages as far as the flow's limits and the send ring permit. */
void traffic_post(struct traffic_app* app, uint32_t index, uint64_t now_ns);
/* Fills the message slots of a flow that other hosts read by RDMA READ. */
void traffic_fill_for_readers(struct traffic_app* app, uint32_t rx_index);
/* Posts a receive entry for every slot of a flow that arrives by SEND. */
void traffic_post_receives(struct traffic_app* app, uint32_t rx_index);
/* Posts messages of flows that waited for room in the send ring. */
void traffic_post_waiting(struct traffic_app* app, uint64_t now_ns);
/* Handles one completion of the NIC. */
enum traffic_error traffic_complete(struct traffic_app* app, const struct nic_cqe* completion,
                                    uint64_t now_ns);

/* Starts the QoS manager's closed loop on this host; does nothing if the block's qos.roles are 0.
 * */
enum traffic_error traffic_qos_start(struct traffic_app* app);
void traffic_qos_received(struct traffic_app* app, uint32_t index, uint32_t bytes);
/* Performs the due steps of the QoS manager's closed loop; app->qos_next_ns is the time of the next
 * call. */
void traffic_qos_step(struct traffic_app* app, uint64_t now_ns);
/* wr_id of the closed loop's writes, which complete silently unless they fail. */
#define TRAFFIC_QOS_WR_ID UINT64_MAX

enum traffic_error traffic_create_queue_pair(struct traffic_app* app, uint32_t flow_id,
                                             const struct nic_queue_pair* queue_pair);

/* Changes the DSCP of flows whose new_dscp_ns has come, and sets app->class_next_ns. */
void traffic_change_classes(struct traffic_app* app, uint64_t now_ns);

/* Builds the heap of flows that have not started. */
void traffic_heap_build(struct traffic_app* app);
/* start time of the next flow; BOOT_NEVER when the heap is empty */
uint64_t traffic_heap_next_start(const struct traffic_app* app);
uint32_t traffic_heap_pop(struct traffic_app* app);

#endif
