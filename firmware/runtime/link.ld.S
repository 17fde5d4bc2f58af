/* Memory layout of a firmware image; the preprocessor takes addresses from driver/memory_map.h.
 *
 * The image, its stack included, takes DCC_IMAGE_BYTES of RAM. A program without a boot block may
 * take more, up to all of RAM: -Wl,--defsym=__image_bytes=0x400000. */
#include "driver/memory_map.h"

#define DCC_IMAGE_SIZE (DEFINED(__image_bytes) ? __image_bytes : DCC_IMAGE_BYTES)

OUTPUT_ARCH(riscv)
ENTRY(_start)

MEMORY
{
  IMAGE (rwx) : ORIGIN = DCC_RAM_BASE, LENGTH = DCC_IMAGE_SIZE - DCC_STACK_BYTES
}

PHDRS
{
  code PT_LOAD FLAGS(5);
  data PT_LOAD FLAGS(6);
  tls PT_TLS;
}

SECTIONS
{
  .text : {
    KEEP(*(.text.start))
    *(.text .text.*)
    *(.rodata .rodata.* .srodata .srodata.*)
    . = ALIGN(8);
    __init_array_start = .;
    KEEP(*(.preinit_array))
    KEEP(*(SORT_BY_INIT_PRIORITY(.init_array.*) .init_array))
    __init_array_end = .;
    __fini_array_start = .;
    KEEP(*(SORT_BY_INIT_PRIORITY(.fini_array.*) .fini_array))
    __fini_array_end = .;
    __text_end = .;
  } > IMAGE :code

  .tdata : { *(.tdata .tdata.*) } > IMAGE :data :tls
  .tbss : { *(.tbss .tbss.* .tcommon) } > IMAGE :data :tls
  PROVIDE(__tls_base = ADDR(.tdata));
  /* Data starts on a page of its own: stores beside code would invalidate the model's decode
   * cache. */
  .data : ALIGN(4096) {
    *(.data .data.*)
    . = ALIGN(8);
    __global_pointer$ = . + 0x800;
    *(.sdata .sdata.*)
    . = ALIGN(4);
  } > IMAGE :data
  .bss (NOLOAD) : ALIGN(4) {
    __bss_start = .;
    *(.sbss .sbss.* .bss .bss.* COMMON)
    . = ALIGN(4);
    __bss_end = .;
  } > IMAGE :data
  . = ALIGN(16);
  PROVIDE(__heap_start = .);
  PROVIDE(__heap_end = DCC_RAM_BASE + DCC_IMAGE_SIZE - DCC_STACK_BYTES);

  /* The CPU model ends a run that stores below __stack_limit relative to sp. A kernel whose tasks have
   * stacks of their own disables the check: -Wl,--defsym=__no_stack_limit=1. */
  __stack_limit = DEFINED(__no_stack_limit) ? 0 : DCC_RAM_BASE + DCC_IMAGE_SIZE - DCC_STACK_BYTES;
  __stack_top = DCC_RAM_BASE + DCC_IMAGE_SIZE;

  /DISCARD/ : { *(.comment .eh_frame .riscv.attributes .note .note.*) }
}
