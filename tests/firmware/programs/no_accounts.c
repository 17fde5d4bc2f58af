/* Sends and receives the planned traffic, but fills no result counters, like a user's own firmware
 * that does not know the boot block's results. */
#include <string.h>

#include "app/traffic_app.h"
#include "machine.h"

static const struct hal hal;
static struct traffic_app app;

int main(void) {
  if (traffic_app_start(&app, &hal, BOOT_BLOCK_ADDRESS) != TRAFFIC_OK) return 1;
  struct boot_block* const block = (struct boot_block*)(uintptr_t)BOOT_BLOCK_ADDRESS;
  const struct traffic_work work = traffic_app_work(&app);
  while (traffic_app_step(&app) && !traffic_app_work_done(&app, work)) {
  }
  memset(&block->result, 0, sizeof block->result);
  return 0;
}
