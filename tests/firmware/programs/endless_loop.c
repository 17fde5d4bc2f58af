/* Hangs in a jump to itself with interrupts off. */
int main(void) {
  for (;;) {
  }
}
