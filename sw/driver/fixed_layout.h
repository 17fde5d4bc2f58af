/* Checks the memory layout of structures that hardware, firmware and platform share. */
#ifndef DCC_DRIVER_FIXED_LAYOUT_H
#define DCC_DRIVER_FIXED_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define DCC_LAYOUT_ASSERT(condition, sentence) static_assert(condition, sentence)
#else
#define DCC_LAYOUT_ASSERT(condition, sentence) _Static_assert(condition, sentence)
#endif

/* All fields of these structures lie at multiples of their own size, so no compiler inserts padding
 * and no structure needs to be packed. An assertion beside each structure checks the layout. */
#define DCC_ASSERT_OFFSET(type, field, offset) \
  DCC_LAYOUT_ASSERT(offsetof(struct type, field) == (offset), #type "." #field " has moved")
#define DCC_ASSERT_SIZE(type, bytes) \
  DCC_LAYOUT_ASSERT(sizeof(struct type) == (bytes), #type " has changed its size")

/* Structures in host memory are little-endian; software accesses them without conversion. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "host memory structures are little-endian; this machine is not"
#endif

#endif
