/* The devices of `machine: virt` from C++17, without exceptions, RTTI or the C++ library: one
 * class a device, constructed before main(); memory comes from the program's own operator new.
 * Runs on QEMU's machine virt too. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "driver/memory_map_virt.h"
#include "machine.h"
#include "trap.h"

namespace {

/* An allocator without deallocation. */
class Pool {
 public:
  void* take(size_t bytes) {
    const size_t at = used_;
    used_ += (bytes + 7) / 8 * 8;
    if (used_ > sizeof memory_) machine_exit(3);
    return memory_ + at;
  }

 private:
  alignas(8) uint8_t memory_[512] = {};
  size_t used_ = 0;
};
Pool pool;

template <class Word, uint32_t kBase>
struct Registers {
  static volatile Word& at(uint32_t offset) {
    return *reinterpret_cast<volatile Word*>(static_cast<uintptr_t>(kBase + offset));
  }
};

/* Handler of one source of the PLIC. */
class Device {
 public:
  virtual ~Device() = default;
  virtual void serve() = 0;
};

class Plic : Registers<uint32_t, VIRT_PLIC_BASE> {
 public:
  static constexpr unsigned kSources = 96;

  void connect(unsigned source, uint32_t priority, Device* device) {
    devices_[source] = device;
    at(VIRT_PLIC_PRIORITY + 4 * source) = priority;
    at(VIRT_PLIC_ENABLE + source / 32 * 4) |= 1u << (source % 32);
  }
  /* Completes a source when the claim goes out of scope. */
  class Claim : Registers<uint32_t, VIRT_PLIC_BASE> {
   public:
    Claim() : source_(at(VIRT_PLIC_CLAIM)) {}
    ~Claim() {
      if (source_ != 0) at(VIRT_PLIC_CLAIM) = source_;
    }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    unsigned source() const { return source_; }

   private:
    unsigned source_;
  };
  void serve_all() {
    for (;;) {
      const Claim claim;
      if (claim.source() == 0) return;
      if (devices_[claim.source()] != nullptr) devices_[claim.source()]->serve();
    }
  }

 private:
  Device* devices_[kSources + 1] = {};
};

/* Counts the interrupts of an empty transmitter. */
class Transmitter final : public Device, Registers<uint8_t, VIRT_UART_BASE> {
 public:
  void start() { at(VIRT_UART_IER) = kEmpty; }
  void serve() override {
    if ((at(VIRT_UART_IIR_FCR) & kIdentification) != kEmpty) return;
    if (++served_ == kWanted) {
      at(VIRT_UART_IER) = 0;
    } else {
      at(VIRT_UART_DATA) = '.';
    }
  }
  bool done() const { return served_ == kWanted; }
  unsigned served() const { return served_; }

 private:
  static constexpr uint8_t kEmpty = 2;
  static constexpr uint8_t kIdentification = 0x0F;
  static constexpr unsigned kWanted = 5;
  volatile unsigned served_ = 0;
};

/* All devices, constructed before main(). */
struct Board {
  Board() : transmitter(new Transmitter) { plic.connect(VIRT_IRQ_UART, 3, transmitter); }
  Plic plic;
  Transmitter* transmitter;
};
Board board;

}  // namespace

void* operator new(size_t bytes) { return pool.take(bytes); }
void operator delete(void*) noexcept {}
void operator delete(void*, size_t) noexcept {}

int main() {
  trap_set_interrupt_handler(TRAP_EXTERNAL, [](trap_frame*) { board.plic.serve_all(); });
  MACHINE_CSR_SET(mie, 1u << TRAP_EXTERNAL);
  machine_enable_interrupts();
  board.transmitter->start();
  while (!board.transmitter->done()) {
  }
  machine_disable_interrupts();
  printf(" served %u interrupts\n", board.transmitter->served());
  return 0;
}
