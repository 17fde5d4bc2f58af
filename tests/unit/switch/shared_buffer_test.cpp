#include "switch/shared_buffer.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <stdexcept>

namespace dcc {
namespace {

SharedBufferParameters parameters(Bytes size, std::uint32_t alpha_q16, std::uint8_t lossless) {
  SharedBufferParameters p;
  p.size = size;
  p.alpha_q16 = alpha_q16;
  p.resume_offset = 3'000;
  p.lossless = lossless;
  return p;
}

TEST(SharedBuffer, OneClassAloneStopsWhereAlphaTimesTheRestMeetsIt) {
  // The class fills alpha · (size − used): with alpha = 1/8 a ninth of the buffer.
  SharedBuffer buffer(parameters(900'000, 8192, 0xFF), 2);
  buffer.set_headroom(0, 50'000);
  Bytes held = 0;
  while (!buffer.must_pause(0, 0)) {
    ASSERT_TRUE(buffer.admit(0, 0, 100));
    held += 100;
  }
  // The headroom is not part of the pool.
  EXPECT_NEAR(static_cast<double>(held), 850'000.0 / 9, 100.0);
}

TEST(SharedBuffer, HeadroomTakesWhatComesAfterThePauseAndNoMore) {
  SharedBuffer buffer(parameters(1'000'000, 65'536, 0xFF), 1);
  buffer.set_headroom(0, 10'000);
  while (!buffer.must_pause(0, 3)) ASSERT_TRUE(buffer.admit(0, 3, 1000));
  Bytes extra = 0;
  while (buffer.admit(0, 3, 1000)) extra += 1000;
  EXPECT_EQ(extra, 10'000);
  // The headroom drains first. Then the class must fall below threshold − offset.
  EXPECT_FALSE(buffer.may_resume(0, 3));
  Bytes released = 0;
  while (!buffer.may_resume(0, 3)) {
    buffer.release(0, 3, 1000);
    released += 1000;
  }
  EXPECT_GT(released, 10'000);
  EXPECT_LE(buffer.held(0, 3) + 3'000, buffer.threshold(0, 3));
  EXPECT_GT(buffer.held(0, 3) + 1000 + 3'000, buffer.threshold(0, 3) - 1000);
}

TEST(SharedBuffer, ALossyPriorityMayUseAllAndIsThenDropped) {
  SharedBuffer buffer(parameters(10'000, 8192, 0), 1);
  Bytes held = 0;
  while (buffer.admit(0, 0, 700)) held += 700;
  EXPECT_EQ(held, 9'800);
  EXPECT_FALSE(buffer.must_pause(0, 0));
  EXPECT_TRUE(buffer.admit(0, 0, 200));
}

TEST(SharedBuffer, HeadroomIsReservedWhenAClassIsFirstUsed) {
  SharedBuffer buffer(parameters(100'000, 65'536, 0xFF), 2);
  buffer.set_headroom(0, 20'000);
  buffer.set_headroom(1, 30'000);
  EXPECT_EQ(buffer.threshold(0, 0), 100'000);
  buffer.admit(0, 0, 1000);
  EXPECT_EQ(buffer.threshold(0, 0), 79'000);
  buffer.admit(0, 0, 1000);
  EXPECT_EQ(buffer.threshold(0, 0), 78'000);
  buffer.admit(1, 5, 1000);
  EXPECT_EQ(buffer.threshold(0, 0), 47'000);
}

TEST(SharedBuffer, HeadroomIsNoMoreThanLossyTrafficHasLeft) {
  constexpr Bytes kSize = 100'000, kHeadroom = 20'000;
  SharedBuffer buffer(parameters(kSize, 65'536, 1), 2);
  for (int port = 0; port < 2; ++port) buffer.set_headroom(port, kHeadroom);
  buffer.admit(1, 0, 1'000);  // reserves the headroom of the class
  while (buffer.admit(0, 1, 1'000)) {
  }
  ASSERT_EQ(buffer.used(), kSize - kHeadroom);
  // The buffer has no memory for a second headroom, so this class has none.
  EXPECT_FALSE(buffer.admit(0, 0, 1'000));
  EXPECT_TRUE(buffer.must_pause(0, 0));
  // The first class may use the headroom that it reserved.
  Bytes extra = 0;
  while (buffer.admit(1, 0, 1'000)) extra += 1'000;
  EXPECT_EQ(extra, kHeadroom);
  EXPECT_EQ(buffer.used(), kSize);
  // The second class gets headroom as the pool empties, first a part and then all of it.
  buffer.release(0, 1, 5'000);
  extra = 0;
  while (buffer.admit(0, 0, 1'000)) extra += 1'000;
  EXPECT_EQ(extra, 5'000);
  EXPECT_EQ(buffer.used(), kSize);
  EXPECT_FALSE(buffer.admit(0, 1, 1'000));
  buffer.release(0, 1, 60'000);
  while (!buffer.must_pause(0, 0)) ASSERT_TRUE(buffer.admit(0, 0, 1'000));
  extra = 0;
  while (buffer.admit(0, 0, 1'000)) extra += 1'000;
  EXPECT_GE(extra, kHeadroom - 5'000);
  while (buffer.admit(0, 1, 1'000)) {
  }
  EXPECT_LE(buffer.used(), kSize);
}

TEST(SharedBuffer, EachPortMayHaveAnAlphaOfItsOwn) {
  SharedBuffer buffer(parameters(100'000, 8192, 0xFF), 2);
  buffer.set_alpha(1, 32'768);
  EXPECT_EQ(buffer.threshold(0, 0), 12'500);
  EXPECT_EQ(buffer.threshold(1, 0), 50'000);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(buffer.admit(1, 0, 1'000));
    EXPECT_FALSE(buffer.must_pause(1, 0));
  }
  // With 80 000 free bytes port 0 may hold 10 000 bytes.
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(buffer.admit(0, 0, 1'000));
  EXPECT_FALSE(buffer.must_pause(0, 0));
  ASSERT_TRUE(buffer.admit(0, 0, 1'000));
  // An eighth of 71 000 free bytes is 8875, less than the 9000 bytes held, so the class must pause.
  EXPECT_TRUE(buffer.must_pause(0, 0));
  EXPECT_FALSE(buffer.must_pause(1, 0));
  EXPECT_THROW(buffer.set_alpha(0, 0), std::invalid_argument);
}

TEST(SharedBuffer, BooksBalanceWhateverComesAndGoes) {
  SharedBuffer buffer(parameters(200'000, 16'384, 0x0F), 4);
  for (int port = 0; port < 4; ++port) buffer.set_headroom(port, 5'000);
  std::mt19937 noise(1);
  struct Held {
    int port, priority;
    Bytes bytes;
  };
  std::deque<Held> queue;
  Bytes sum = 0;
  Bytes most = 0, greatest = 0;
  std::array<std::array<Bytes, kPriorities>, 4> by_class{};
  for (int i = 0; i < 200'000; ++i) {
    if (noise() % 100 < 52 || queue.empty()) {
      const Held one{static_cast<int>(noise() % 4), static_cast<int>(noise() % 8),
                     64 + static_cast<Bytes>(noise() % 4000)};
      if (buffer.admit(one.port, one.priority, one.bytes)) {
        queue.push_back(one);
        sum += one.bytes;
        by_class[static_cast<std::size_t>(one.port)][static_cast<std::size_t>(one.priority)] +=
            one.bytes;
      }
    } else {
      const Held one = queue.front();
      queue.pop_front();
      buffer.release(one.port, one.priority, one.bytes);
      sum -= one.bytes;
      by_class[static_cast<std::size_t>(one.port)][static_cast<std::size_t>(one.priority)] -=
          one.bytes;
    }
    ASSERT_EQ(buffer.used(), sum);
    ASSERT_LE(sum, 200'000);
    if (noise() % 1'000 == 0) {
      buffer.restart_peak();
      most = sum;
    }
    most = std::max(most, sum);
    ASSERT_EQ(buffer.peak(), most);
    greatest = std::max(greatest, most);
    const int port = static_cast<int>(noise() % 4), priority = static_cast<int>(noise() % 8);
    ASSERT_EQ(buffer.held(port, priority),
              by_class[static_cast<std::size_t>(port)][static_cast<std::size_t>(priority)]);
  }
  EXPECT_GT(greatest, 150'000);
}

TEST(SharedBuffer, BooksBalanceWhateverIsPausedMeanwhile) {
  constexpr int kPorts = 3;
  constexpr Bytes kSize = 200'000, kHeadroom = 15'000;
  SharedBuffer buffer(parameters(kSize, 16'384, 0x0F), kPorts);
  for (int port = 0; port < kPorts; ++port) buffer.set_headroom(port, kHeadroom);
  std::mt19937 noise(5);
  struct Held {
    int port, priority;
    Bytes bytes;
  };
  std::deque<Held> queue;
  Bytes held[kPorts][kPriorities] = {};
  Bytes sum = 0, most = 0;
  for (int i = 0; i < 200'000; ++i) {
    const int port = static_cast<int>(noise() % kPorts), priority = static_cast<int>(noise() % 8);
    if (noise() % 100 == 0) {
      buffer.set_lossless(port, static_cast<std::uint8_t>(noise()));
    } else if (noise() % 100 < 60 || queue.empty()) {
      const Held one{port, priority, 64 + static_cast<Bytes>(noise() % 4000)};
      if (buffer.admit(port, priority, one.bytes)) {
        queue.push_back(one);
        sum += one.bytes;
        held[port][priority] += one.bytes;
      }
    } else {
      const Held one = queue.front();
      queue.pop_front();
      buffer.release(one.port, one.priority, one.bytes);
      sum -= one.bytes;
      held[one.port][one.priority] -= one.bytes;
    }
    ASSERT_EQ(buffer.used(), sum);
    ASSERT_LE(sum, kSize);
    most = std::max(most, sum);
    ASSERT_EQ(buffer.peak(), most);
    ASSERT_EQ(buffer.held(port, priority), held[port][priority]);
  }
  while (!queue.empty()) {
    buffer.release(queue.front().port, queue.front().priority, queue.front().bytes);
    queue.pop_front();
  }
  EXPECT_EQ(buffer.used(), 0);
  for (int port = 0; port < kPorts; ++port) buffer.set_lossless(port, 0);
  EXPECT_TRUE(buffer.admit(0, 0, 200'000));  // all bytes of the pool are free again
}

// A packet accepted by can_pass_through() would have been admitted, would not have caused a pause
// or a new peak, and would have left no bytes behind.
TEST(SharedBuffer, LetsThroughOnlyWhatAdmittingWouldNotNotice) {
  std::mt19937_64 random(11);
  SharedBuffer buffer(parameters(60'000, 30'000, 0x0F), 2);
  for (int port = 0; port < 2; ++port) buffer.set_headroom(port, 4'000);
  struct Held {
    int port, priority;
    Bytes bytes;
  };
  std::deque<Held> held;
  int waved = 0;
  int stopped = 0;
  int peaks = 0;
  for (int step = 0; step < 20'000; ++step) {
    const int port = static_cast<int>(random() % 2);
    const int priority = static_cast<int>(random() % 6);  // priorities 4 and 5 are lossy
    const Bytes bytes = 64 + static_cast<Bytes>(random() % 1'500);
    SharedBuffer other = buffer;
    SharedBuffer tried = buffer;
    if (tried.can_pass_through(port, priority, bytes)) {
      ++waved;
      ASSERT_TRUE(other.admit(port, priority, bytes));
      ASSERT_FALSE(other.must_pause(port, priority));
      other.release(port, priority, bytes);
      ASSERT_EQ(tried.used(), buffer.used());
      ASSERT_EQ(tried.used(), other.used());
      ASSERT_EQ(tried.threshold(port, priority), other.threshold(port, priority));
      ASSERT_EQ(other.peak(), buffer.peak());
    } else if (other.admit(port, priority, bytes) && !other.must_pause(port, priority)) {
      // The first packet of a class reserves headroom, so it never passes through.
      if (buffer.held(port, priority) != 0) {
        ++peaks;
        ASSERT_GT(other.peak(), buffer.peak());
      }
    } else {
      ++stopped;
    }
    if (random() % 2 != 0 && buffer.admit(port, priority, bytes)) {
      held.push_back({port, priority, bytes});
    } else if (!held.empty()) {
      buffer.release(held.front().port, held.front().priority, held.front().bytes);
      held.pop_front();
    }
  }
  EXPECT_GT(waved, 1'000);
  EXPECT_GT(stopped, 1'000);
  EXPECT_GT(peaks, 10);
  EXPECT_LT(peaks, 1'000);
}

TEST(SharedBuffer, APortMayPauseOtherPrioritiesThanTheRest) {
  SharedBuffer buffer(parameters(100'000, 8192, 0x01), 2);
  for (int port = 0; port < 2; ++port) buffer.set_headroom(port, 10'000);
  buffer.set_lossless(1, 0x02);
  EXPECT_TRUE(buffer.is_lossless(0, 0));
  EXPECT_FALSE(buffer.is_lossless(0, 1));
  EXPECT_FALSE(buffer.is_lossless(1, 0));
  EXPECT_TRUE(buffer.is_lossless(1, 1));
  // α = 1/8: as the only user of 90 000 bytes, priority 1 of port 1 may hold 1/9 of them. Priority
  // 1 of port 0 cannot be paused and may hold all the rest.
  while (!buffer.must_pause(1, 1)) ASSERT_TRUE(buffer.admit(1, 1, 1'000));
  EXPECT_EQ(buffer.held(1, 1), 10'000);
  while (buffer.admit(0, 1, 1'000)) EXPECT_FALSE(buffer.must_pause(0, 1));
  EXPECT_EQ(buffer.held(0, 1), 80'000);
}

TEST(SharedBuffer, WhatWasInTheHeadroomOfAClassThatIsPausedNoMoreIsThePools) {
  SharedBuffer buffer(parameters(100'000, 8192, 0x08), 1);
  buffer.set_headroom(0, 10'000);
  Bytes held = 0;
  while (buffer.admit(0, 3, 1'000)) held += 1'000;
  EXPECT_EQ(held, 20'000);  // a ninth of the shared 90 000 bytes, and the headroom
  EXPECT_TRUE(buffer.must_pause(0, 3));
  buffer.set_lossless(0, 0);
  EXPECT_FALSE(buffer.must_pause(0, 3));
  EXPECT_EQ(buffer.held(0, 3), held);
  EXPECT_EQ(buffer.used(), held);
  // No headroom is reserved any more, so the whole pool is available.
  while (buffer.admit(0, 3, 1'000)) held += 1'000;
  EXPECT_EQ(held, 100'000);
  // The class holds more than its new limit. Its bytes stay and drain as usual.
  buffer.set_lossless(0, 0x08);
  EXPECT_TRUE(buffer.must_pause(0, 3));
  EXPECT_EQ(buffer.held(0, 3), held);
  while (!buffer.may_resume(0, 3)) {
    buffer.release(0, 3, 1'000);
    held -= 1'000;
  }
  EXPECT_EQ(buffer.held(0, 3), held);
  EXPECT_LE(held + 3'000, buffer.threshold(0, 3));
  ASSERT_TRUE(buffer.admit(0, 3, 1'000));  // reserves the headroom again
  EXPECT_EQ(buffer.threshold(0, 3), (90'000 - held - 1'000) / 8);
  buffer.set_lossless(0, 0x08);
  EXPECT_EQ(buffer.threshold(0, 3), (90'000 - held - 1'000) / 8);
}

// Bytes in ports with their own memory count as buffered but do not use the pool.
TEST(SharedBuffer, WhatPortsHoldApartIsInThePeakAndNotInThePool) {
  SharedBuffer buffer(parameters(10'000, 8192, 0), 1);
  ASSERT_TRUE(buffer.admit(0, 0, 4'000));
  buffer.change_private(9'000);
  EXPECT_EQ(buffer.used(), 13'000);
  EXPECT_EQ(buffer.peak(), 13'000);
  EXPECT_TRUE(buffer.admit(0, 0, 6'000));
  EXPECT_FALSE(buffer.admit(0, 0, 1));
  EXPECT_EQ(buffer.peak(), 19'000);
  buffer.change_private(-9'000);
  buffer.release(0, 0, 6'000);
  EXPECT_EQ(buffer.used(), 4'000);
  EXPECT_EQ(buffer.peak(), 19'000);
  buffer.restart_peak();
  EXPECT_EQ(buffer.peak(), 4'000);
  // A packet that passes through such a port is buffered for no time, but raises the peak.
  EXPECT_FALSE(buffer.can_pass_through(0, 0, 500));
  EXPECT_TRUE(buffer.can_pass_with_peak(0, 0, 500));
  EXPECT_EQ(buffer.peak(), 4'500);
  EXPECT_TRUE(buffer.can_pass_through(0, 0, 500));
  EXPECT_FALSE(buffer.can_pass_with_peak(0, 0, 6'001));
  EXPECT_EQ(buffer.used(), 4'000);
}

// Two buffers see the same packets: one uses admit() alone, the other tries admit_freely() first.
TEST(SharedBuffer, TheShortWayDecidesAsTheLongWay) {
  SharedBuffer plain(parameters(60'000, 32'768, 0x0F), 3);
  SharedBuffer quick(parameters(60'000, 32'768, 0x0F), 3);
  ClassRules rules;
  rules.limit = 9'000;
  for (SharedBuffer* buffer : {&plain, &quick}) {
    for (int port = 0; port < 3; ++port) buffer->set_headroom(port, 4'000);
    buffer->set_rules(2, 1, rules);
  }
  struct Held {
    int port;
    int priority;
    Bytes bytes;
  };
  std::deque<Held> held;
  std::mt19937 random(7);
  int freely = 0;
  int refused = 0;
  int paused = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (!held.empty() && random() % 9 < 4) {
      const Held one = held.front();
      held.pop_front();
      plain.release(one.port, one.priority, one.bytes);
      quick.release(one.port, one.priority, one.bytes);
    } else {
      const Held one{static_cast<int>(random() % 3), static_cast<int>(random() % 6),
                     static_cast<Bytes>(250 * (1 + random() % 6))};
      const bool admitted = plain.admit(one.port, one.priority, one.bytes);
      const bool must_pause = plain.must_pause(one.port, one.priority);
      if (quick.admit_freely(one.port, one.priority, one.bytes)) {
        ++freely;
        ASSERT_TRUE(admitted) << step;
        ASSERT_FALSE(must_pause) << step;
      } else {
        ASSERT_EQ(quick.admit(one.port, one.priority, one.bytes), admitted) << step;
        ASSERT_EQ(quick.must_pause(one.port, one.priority), must_pause) << step;
      }
      if (admitted) held.push_back(one);
      refused += admitted ? 0 : 1;
      paused += must_pause ? 1 : 0;
    }
    ASSERT_EQ(quick.used(), plain.used()) << step;
    ASSERT_EQ(quick.peak(), plain.peak()) << step;
    for (int priority = 0; priority < 6; ++priority) {
      ASSERT_EQ(quick.held(1, priority), plain.held(1, priority)) << step;
      ASSERT_EQ(quick.peak(1, priority), plain.peak(1, priority)) << step;
    }
  }
  EXPECT_GT(freely, 2'000);
  EXPECT_GT(refused, 100);
  EXPECT_GT(paused, 100);
}

TEST(SharedBuffer, RefusesWhatCannotBe) {
  EXPECT_THROW(SharedBuffer(parameters(0, 1, 0), 1), std::invalid_argument);
  EXPECT_THROW(SharedBuffer(parameters(1, 0, 0), 1), std::invalid_argument);
  SharedBufferParameters negative = parameters(1, 1, 0);
  negative.resume_offset = -1;
  EXPECT_THROW(SharedBuffer(negative, 1), std::invalid_argument);
}

}  // namespace
}  // namespace dcc
