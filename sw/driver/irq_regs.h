/* Register map of the interrupt controller, shared by model
 * (models/tlm/machine/interrupt_controller) and software. Sources are levels; source n is bit n of
 * every register, source 0 does not exist.
 *
 * A source is *pending* while its line is high and it is not in service. Reading CLAIM takes the
 * lowest-numbered source that is pending and enabled, puts it in service and returns its number (0:
 * none). Writing that number to COMPLETE ends the service; a source whose line is still high is
 * pending again. The output line is high while any source is pending and enabled. */
#ifndef DCC_DRIVER_IRQ_REGS_H
#define DCC_DRIVER_IRQ_REGS_H

#include "driver/memory_map.h" /* address of the controller and numbers of the sources */

#define IRQ_PENDING_OFFSET 0x00u  /* RO: sources whose line is high and that are not in service */
#define IRQ_ENABLE_OFFSET 0x04u   /* RW: sources that may raise the output; reset 0 */
#define IRQ_CLAIM_OFFSET 0x08u    /* RO; a read claims a source and returns its number */
#define IRQ_COMPLETE_OFFSET 0x0Cu /* WO: number of the source whose service ends */
#define IRQ_LEVEL_OFFSET 0x10u    /* RO: levels of the interrupt lines, one bit for each source */
#define IRQ_SERVICE_OFFSET 0x14u  /* RO: interrupt sources that are claimed and not completed */

enum {
  IRQ_SOURCE_NONE = 0,
  IRQ_SOURCES = 32, /* number of sources that the registers can hold */
};

#endif
