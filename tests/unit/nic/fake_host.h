// Fake host memory and a fake DMA link, both controlled by the test.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <vector>

#include "nic/host/dma.h"
#include "nic/host/host_memory.h"

namespace dcc::test {

/// Host memory that begins at address 0.
class FakeMemory final : public HostMemory {
 public:
  explicit FakeMemory(std::size_t size) : bytes(size) {}
  bool holds(std::uint64_t address, std::size_t n, bool) const override {
    return address <= bytes.size() && n <= bytes.size() - address;
  }
  bool read(std::uint64_t address, void* to, std::size_t n) override {
    if (!holds(address, n, false)) return false;
    std::memcpy(to, bytes.data() + address, n);
    return true;
  }
  bool write(std::uint64_t address, const void* from, std::size_t n) override {
    if (!holds(address, n, true)) return false;
    std::memcpy(bytes.data() + address, from, n);
    return true;
  }
  template <class T>
  void put(std::uint64_t address, const T& value) {
    std::memcpy(bytes.data() + address, &value, sizeof value);
  }
  template <class T>
  T get(std::uint64_t address) const {
    T value;
    std::memcpy(&value, bytes.data() + address, sizeof value);
    return value;
  }

  std::vector<std::uint8_t> bytes;
};

/// A DMA link whose requests complete when the test calls end_one() or end_all().
class FakeDma final : public Dma {
 public:
  struct Request {
    bool is_read;
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint32_t tag;
    DmaClient* client;  // receiver of the completion; null: the request was cancelled
    void* to;
    std::vector<std::uint8_t> data;
    // for atomics only: the new value of the word from the old one
    std::function<std::uint64_t(std::uint64_t)> change;
  };

  explicit FakeDma(FakeMemory& ram) : memory(ram) {}
  bool reaches(std::uint64_t address, std::uint64_t n, bool writable) const override {
    return memory.holds(address, n, writable);
  }
  void read(std::uint64_t address, void* to, std::uint32_t bytes, DmaClient& client,
            std::uint32_t tag) override {
    requests.push_back({true, address, bytes, tag, &client, to, {}, {}});
  }
  // The operation changes memory when the request completes.
  void fetch_add(std::uint64_t address, std::uint64_t addend, void* original, DmaClient& client,
                 std::uint32_t tag) override {
    requests.push_back({true, address, 8, tag, &client, original, {}, [addend](std::uint64_t word) {
                          return word + addend;
                        }});
  }
  void compare_swap(std::uint64_t address, std::uint64_t compare, std::uint64_t swap,
                    void* original, DmaClient& client, std::uint32_t tag) override {
    requests.push_back({true, address, 8, tag, &client, original, {}, [=](std::uint64_t word) {
                          return word == compare ? swap : word;
                        }});
  }
  void write(std::uint64_t address, const void* from, std::uint32_t bytes, DmaClient& client,
             std::uint32_t tag) override {
    const auto* const begin = static_cast<const std::uint8_t*>(from);
    requests.push_back({false, address, bytes, tag, &client, nullptr, {begin, begin + bytes}, {}});
  }
  void cancel(const DmaClient& client) override {
    for (Request& request : requests) {
      if (request.client == &client) request.client = nullptr;
    }
  }

  /// Completes the oldest request.
  void end_one() {
    Request request = std::move(requests.front());
    requests.pop_front();
    if (request.client == nullptr) return;
    const bool ok = request.is_read
                        ? memory.read(request.address, request.to, request.bytes)
                        : memory.write(request.address, request.data.data(), request.bytes);
    if (ok && request.change) {
      memory.put(request.address, request.change(memory.get<std::uint64_t>(request.address)));
    }
    request.client->dma_done(request.tag, ok);
  }
  /// Completes all requests, including those made during the completions.
  void end_all() {
    while (!requests.empty()) end_one();
  }

  FakeMemory& memory;
  std::deque<Request> requests;
};

}  // namespace dcc::test
