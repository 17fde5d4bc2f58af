/* C++17 firmware without exceptions, RTTI or the C++ library: constructors of global objects run
 * before main(), destructors after it; new and delete take memory from an arena of fixed size. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "driver/dcc_driver.h"
#include "driver/memory_map.h"
#include "driver/nic_driver.h"
#include "machine.h"
#include "trap.h"

namespace {

/* First-fit allocator in a static arena. Adjacent free blocks are merged by allocate(). */
class Arena {
 public:
  void* allocate(size_t bytes) {
    const size_t wanted = (bytes + kAlign - 1) / kAlign * kAlign + sizeof(Block);
    for (size_t at = 0; at < sizeof memory_;) {
      Block* const block = block_at(at);
      /* the arena is used for the first time */
      if (block->bytes == 0) block->bytes = sizeof memory_ - at;
      while (!block->used && at + block->bytes < sizeof memory_) {
        const Block* const next = block_at(at + block->bytes);
        if (next->used) break;
        block->bytes += next->bytes;
      }
      if (!block->used && block->bytes >= wanted) {
        if (block->bytes - wanted > sizeof(Block)) {
          *block_at(at + wanted) = Block{block->bytes - wanted, false};
          block->bytes = wanted;
        }
        block->used = true;
        in_use_ += block->bytes;
        return block + 1;
      }
      at += block->bytes;
    }
    printf("arena: no room for %u bytes\n", static_cast<unsigned>(bytes));
    machine_exit(3);
  }

  void release(void* memory) {
    if (memory == nullptr) return;
    Block* const block = static_cast<Block*>(memory) - 1;
    block->used = false;
    in_use_ -= block->bytes;
  }

  size_t bytes_in_use() const { return in_use_; }

 private:
  static constexpr size_t kAlign = 8;
  struct alignas(kAlign) Block {
    size_t bytes; /* bytes of the block, header included */
    bool used;
  };
  Block* block_at(size_t offset) { return reinterpret_cast<Block*>(memory_ + offset); }

  alignas(kAlign) uint8_t memory_[1024] = {};
  size_t in_use_ = 0;
};

/* Constant initialisation: the arena is ready before any constructor runs. */
Arena arena;

}  // namespace

void* operator new(size_t bytes) { return arena.allocate(bytes); }
void* operator new[](size_t bytes) { return arena.allocate(bytes); }
void operator delete(void* memory) noexcept { arena.release(memory); }
void operator delete[](void* memory) noexcept { arena.release(memory); }
void operator delete(void* memory, size_t) noexcept { arena.release(memory); }
void operator delete[](void* memory, size_t) noexcept { arena.release(memory); }

namespace {

/* A class with a value that only the constructor sets. */
class Answer {
 public:
  explicit Answer(int factor) : value_(6 * factor) {}
  ~Answer() { printf("objects: destructor of %d\n", value_); }
  int value() const { return value_; }

 private:
  int value_;
};

volatile int seven = 7;
const Answer answer{seven};

class Shape {
 public:
  virtual ~Shape() = default;
  virtual unsigned area() const = 0;
};

class Square final : public Shape {
 public:
  explicit Square(unsigned side) : side_(side) {}
  unsigned area() const override { return side_ * side_; }

 private:
  unsigned side_;
};

class Rectangle final : public Shape {
 public:
  Rectangle(unsigned width, unsigned height) : width_(width), height_(height) {}
  unsigned area() const override { return width_ * height_; }

 private:
  unsigned width_;
  unsigned height_;
};

/* Sole owner of an object allocated by new. */
template <class T>
class Owner {
 public:
  explicit Owner(T* object) : object_(object) {}
  ~Owner() { delete object_; }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  T* operator->() const { return object_; }

 private:
  T* object_;
};

unsigned count_calls() {
  static Owner<Rectangle> once{new Rectangle(3, 5)}; /* constructed by the first call */
  static unsigned calls = 0;
  calls += once->area();
  return calls;
}

volatile unsigned ticks;

void on_timer(trap_frame* frame) {
  (void)frame;
  ticks = ticks + 1;
  machine_set_timer(UINT64_MAX);
}

}  // namespace

int main() {
  printf("objects: the answer is %d\n", answer.value());
  const size_t before = arena.bytes_in_use();
  {
    const Owner<Shape> square{new Square(4)};
    const Owner<Shape> rectangle{new Rectangle(2, 8)};
    printf("objects: areas %u and %u, bytes in use: %s\n", square->area(), rectangle->area(),
           arena.bytes_in_use() > before ? "more" : "as before");
  }
  printf("objects: bytes in use: %s\n", arena.bytes_in_use() == before ? "as before" : "more");
  count_calls();
  printf("objects: a local static made once: %u\n", count_calls());

  trap_set_interrupt_handler(TRAP_TIMER, on_timer);
  machine_set_timer(machine_time_ns() + 1000);
  MACHINE_CSR_SET(mie, 1u << TRAP_TIMER);
  machine_enable_interrupts();
  while (ticks == 0) machine_sleep();
  machine_disable_interrupts();
  printf("objects: %u timer interrupt\n", ticks);

  uint32_t* const words = new uint32_t[64];
  for (unsigned i = 0; i < 64; ++i) words[i] = i;
  const bool right = words[63] == 63;
  delete[] words;
  return answer.value() == 42 && right ? 0 : 1;
}
