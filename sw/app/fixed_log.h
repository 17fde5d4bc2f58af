/* Binary logarithm and power in 16.16 fixed point, integers only. */
#ifndef DCC_APP_FIXED_LOG_H
#define DCC_APP_FIXED_LOG_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* log2(x) in 16.16 for x >= 1, within two units of the last place below the exact value. */
int32_t fixed_log2(uint64_t x);

/* 2^(y/65536) rounded to a whole number, relative error under 2^-14; y from -16 · 65536 to
 * 31.99 · 65536, beyond which the result saturates at 0 and UINT32_MAX. */
uint32_t fixed_exp2(int32_t y_q16);

#ifdef __cplusplus
}
#endif

#endif
