/* Tests physical memory protection: modes OFF, TOR, NA4 and NAPOT, permissions, priorities,
 * boundaries, locks. */
#include "suite.inc"

  .equ R, 1
  .equ W, 2
  .equ X, 4
  .equ TOR, 0x08
  .equ NA4, 0x10
  .equ NAPOT, 0x18
  .equ LOCK, 0x80

  .bss
  .balign 4096
arena:
  .skip 4096
  .text

  j begin

  /* Writes entry 0 to 3 of pmpcfg0. `address` is the value of the pmpaddr register. */
  .macro entry number, config, address
    li t6, (\address)
    csrw pmpaddr\number, t6
    li t6, 0xFF << (8 * \number)
    csrc pmpcfg0, t6
    li t6, (\config) << (8 * \number)
    csrs pmpcfg0, t6
  .endm
  /* Writes an entry that covers `size` bytes at a place in the arena; `size` is a power of two from
   * 8. */
  .macro napot number, config, offset, size
    la t6, arena + \offset
    srli t6, t6, 2
    ori t6, t6, \size / 8 - 1
    csrw pmpaddr\number, t6
    li t6, 0xFF << (8 * \number)
    csrc pmpcfg0, t6
    li t6, (NAPOT | (\config)) << (8 * \number)
    csrs pmpcfg0, t6
  .endm
  .macro border number, config, offset
    la t6, arena + \offset
    srli t6, t6, 2
    csrw pmpaddr\number, t6
    li t6, 0xFF << (8 * \number)
    csrc pmpcfg0, t6
    li t6, (\config) << (8 * \number)
    csrs pmpcfg0, t6
  .endm
  .macro allowed code, offset
    la a0, arena + \offset
    in_user \code
  .endm
  .macro refused code, offset, cause
    la a0, arena + \offset
    in_user \code, \cause
    bne s9, a0, fail
  .endm
  .macro nothing_in_0_to_2
    csrw pmpcfg0, zero
  .endm

begin:
  /* Entry 15 lets user mode execute all addresses; without it user code could not run. */
  li t6, -1
  csrw pmpaddr15, t6
  li t6, (NAPOT | X) << 24
  csrw pmpcfg3, t6
  la t6, arena /* writes an ecall to every address that user code may jump to */
  li a1, 0x73
  li a2, 1024
1:
  sw a1, 0(t6)
  addi t6, t6, 4
  addi a2, a2, -1
  bnez a2, 1b
  fence.i

  test registers_hold_what_is_written
  li a0, 0x12345678
  csrw pmpaddr3, a0
  csrr a1, pmpaddr3
  bne a1, a0, fail
  li a0, 0x001D1F0F
  csrw pmpcfg1, a0
  csrr a1, pmpcfg1
  bne a1, a0, fail
  csrw pmpcfg1, zero
  csrr a1, pmpcfg3
  expect a1, (NAPOT | X) << 24

  test off_matches_nothing
  nothing_in_0_to_2
  refused user_load, 0, 5
  refused user_store, 0, 7
  allowed user_jump, 0 /* entry 15 permits the jump */

  test permission_none
  napot 0, 0, 64, 32
  refused user_load, 64, 5
  refused user_store, 64, 7
  refused user_jump, 64, 1

  test permission_r
  napot 0, R, 64, 32
  allowed user_load, 64
  refused user_store, 64, 7
  refused user_jump, 64, 1

  test permission_rw
  napot 0, R | W, 64, 32
  allowed user_load, 64
  allowed user_store, 64
  refused user_jump, 64, 1

  test permission_x
  napot 0, X, 64, 32
  refused user_load, 64, 5
  refused user_store, 64, 7
  allowed user_jump, 68

  test permission_rx
  napot 0, R | X, 64, 32
  allowed user_load, 68
  refused user_store, 68, 7
  allowed user_jump, 68

  test permission_rwx
  napot 0, R | W | X, 64, 32
  allowed user_load, 68
  allowed user_store, 68
  allowed user_jump, 72

  test sizes_of_access
  napot 0, R, 64, 8
  refused user_byte, 63, 5
  allowed user_byte, 64
  allowed user_byte, 71
  refused user_byte, 72, 5
  refused user_half, 62, 5
  allowed user_half, 70
  refused user_half, 72, 5

  .macro napot_of size
    napot 0, R, 2048, \size
    refused user_load, 2048 - 4, 5
    allowed user_load, 2048
    allowed user_load, 2048 + \size - 4
    refused user_load, 2048 + \size, 5
  .endm
  test napot_8
  napot_of 8
  test napot_16
  napot_of 16
  test napot_64
  napot_of 64
  test napot_256
  napot_of 256
  test napot_1024
  napot_of 1024

  test na4
  border 0, NA4 | R, 100
  refused user_load, 96, 5
  allowed user_load, 100
  refused user_load, 104, 5

  test tor
  border 0, 0, 200
  border 1, TOR | R | W, 232
  refused user_load, 196, 5
  allowed user_store, 200
  allowed user_store, 228
  refused user_load, 232, 5

  test tor_upside_down_matches_nothing
  border 0, 0, 232
  border 1, TOR | R, 200
  refused user_load, 196, 5
  refused user_load, 200, 5
  refused user_load, 232, 5
  border 1, TOR | R, 232
  refused user_load, 232, 5
  nothing_in_0_to_2

  test lowest_entry_decides
  napot 0, R, 512, 16
  napot 1, R | W, 512, 64
  refused user_store, 512, 7
  refused user_store, 524, 7
  allowed user_store, 528
  napot 0, R | W, 512, 16
  napot 1, R, 512, 64
  allowed user_store, 524
  refused user_store, 528, 7

  test machine_mode_is_free_of_open_entries
  napot 0, 0, 512, 16
  la a0, arena + 512
  lw a1, 0(a0)
  sw a1, 0(a0)

  test changed_protection_counts_at_once
  napot 0, R, 256, 16
  allowed user_load, 256
  napot 0, 0, 256, 16
  refused user_load, 256, 5
  napot 0, R | X, 256, 16
  allowed user_jump, 256
  napot 0, R, 256, 16
  refused user_jump, 256, 1
  nothing_in_0_to_2

  test mprv_uses_the_entries
  napot 0, R, 256, 16
  la a0, arena + 256
  li a3, 0x20000
  li t5, 0x1800
  csrc mstatus, t5
  csrs mstatus, a3
  lw a1, 0(a0)
  traps 7, sw a1, 0(a0)
  csrc mstatus, a3
  nothing_in_0_to_2

  /* All tests below lock entries, which only a reset unlocks. */
  test locked_entry_binds_the_machine
  napot 2, LOCK | R, 3072, 16
  la a0, arena + 3072
  lw a1, 0(a0)
  traps 7, sw a1, 0(a0)
  bne s9, a0, fail
  addi a0, a0, 16
  sw a1, 0(a0)
  la s7, 1f
  la a0, arena + 3072
  jr a0
  j fail
1:
  expect s8, 1

  test locked_entry_keeps_its_registers
  csrr a2, pmpcfg0
  csrr a3, pmpaddr2
  csrw pmpaddr2, zero
  csrr a1, pmpaddr2
  bne a1, a3, fail
  csrw pmpcfg0, zero
  csrr a1, pmpcfg0
  li a0, 0xFF0000
  and a2, a2, a0
  bne a1, a2, fail

  test locked_tor_keeps_the_address_below_it
  li a0, 0x08000000 >> 2
  csrw pmpaddr4, a0
  addi a1, a0, 4
  csrw pmpaddr5, a1
  li a1, (LOCK | TOR) << 8
  csrw pmpcfg1, a1
  csrw pmpaddr4, zero
  csrr a1, pmpaddr4
  bne a1, a0, fail
  j pass

  .balign 4
user_load:
  lw a1, 0(a0)
  ecall
user_half:
  lhu a1, 0(a0)
  ecall
user_byte:
  lbu a1, 0(a0)
  ecall
user_store:
  li a1, 0x73
  sw a1, 0(a0)
  ecall
user_jump:
  jr a0
