/* Recurses until the stack overflows. */
#pragma GCC diagnostic ignored "-Winfinite-recursion"
static volatile unsigned sink;
__attribute__((noinline)) static unsigned recurse(unsigned n) {
  volatile unsigned room[16];
  room[n % 16] = n;
  const unsigned below = recurse(n + 1);
  sink = room[n % 16];
  return below + sink;
}
int main(void) { return (int)recurse(0); }
