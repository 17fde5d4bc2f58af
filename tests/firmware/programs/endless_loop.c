/* Hangs in a jump to itself with interrupts disabled. */
int main(void) {
  for (;;) {
  }
}
