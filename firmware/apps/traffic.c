/* The traffic application as firmware: sw/app does the work, this program prints the result. */
#include <inttypes.h>
#include <stdio.h>

#include "app/traffic_app.h"
#include "machine.h"

static const struct hal hal;
static struct traffic_app app;

static void print_tables(const struct boot_block* block) {
  const struct boot_result* r = &block->result;
  printf("host %" PRIu32 ": %s\n", block->host_id,
         r->text[0] != '\0' ? r->text : traffic_error_text((enum traffic_error)r->error));
  const struct boot_tx_flow* tx = (const void*)((const char*)block + block->tx_offset);
  const struct boot_tx_result* sent = (const void*)((const char*)block + block->tx_result_offset);
  for (uint32_t i = 0; i < block->tx_count; ++i) {
    printf("  sent     flow %5" PRIu32 " dscp %2u to   %4" PRIu32 ": %6" PRIu64 " of %6" PRIu64
           " messages, %10" PRIu64 " bytes\n",
           tx[i].id, tx[i].dscp, tx[i].remote_host, sent[i].messages_completed,
           sent[i].messages_posted, sent[i].bytes_completed);
  }
  const struct boot_rx_flow* rx = (const void*)((const char*)block + block->rx_offset);
  const struct boot_rx_result* got = (const void*)((const char*)block + block->rx_result_offset);
  for (uint32_t i = 0; i < block->rx_count; ++i) {
    printf("  received flow %5" PRIu32 " dscp %2u from %4" PRIu32 ": %6" PRIu64
           " messages, %10" PRIu64 " bytes, %" PRIu32 " corrupt\n",
           rx[i].id, rx[i].dscp, rx[i].remote_host, got[i].messages_received, got[i].bytes_received,
           got[i].messages_corrupt);
  }
  printf("  %" PRIu64 " wake-ups, %" PRIu64 " interrupts\n", r->wakeups, r->irqs);
}

int main(void) {
  enum traffic_error error = traffic_app_start(&app, &hal, BOOT_BLOCK_ADDRESS);
  if (error == TRAFFIC_OK) {
    const struct boot_block* const block = app.block;
    printf("host %" PRIu32 ": up, %" PRIu32 " flows to send, %" PRIu32 " to receive\n",
           block->host_id, block->tx_count, block->rx_count);
    /* Printing takes time, so a host without remaining work does not wait for the end of the
     * run, unless it takes part in the closed loop. */
    const struct traffic_work work = traffic_app_work(&app);
    const int may_end_early = block->tx_count + block->rx_count > 0 && block->qos.roles == 0;
    while (traffic_app_step(&app)) {
      if (may_end_early && traffic_app_work_done(&app, work)) break;
    }
    error = traffic_app_finish(&app);
    print_tables(block);
  }
  if (error != TRAFFIC_OK) printf("traffic: %s\n", traffic_error_text(error));
  return error == TRAFFIC_OK ? 0 : 1;
}
