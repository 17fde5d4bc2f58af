/* Never ends, but does not stand still either: only a time limit can tell. */
static volatile unsigned counter;
static void spin(void) {
  for (;;) ++counter;
}
int main(void) {
  spin();
  return 0;
}
