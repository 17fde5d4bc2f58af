/* Never ends and never sleeps: only a time limit can detect the endless loop. */
static volatile unsigned counter;
static void spin(void) {
  for (;;) ++counter;
}
int main(void) {
  spin();
  return 0;
}
