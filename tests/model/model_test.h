// Base class of all model tests: a stimulus thread, and a failure if the stimulus does not finish.
#pragma once

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace dcc::model {

/// An initiator socket in a module, since a socket must belong to a module.
struct Initiator final : sc_core::sc_module {
  explicit Initiator(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}

  /// Makes one transport of up to four bytes that begins now. Returns the target's response.
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address,
                                  std::uint32_t& value, unsigned bytes = 4) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    return payload.get_response_status();
  }

  tlm_utils::simple_initiator_socket<Initiator> socket{"socket"};
};

/// A test builds its modules (as locals or members), then calls simulate() exactly once. The test
/// fails if the stimulus does not finish within the limit, if the test does not call simulate(), or
/// if SystemC makes a report of severity warning or above that expect_report() did not announce.
///
///   TEST_F(TimerTest, FiresOnce) {
///     Timer timer("timer");
///     simulate([&] { ...; sc_core::wait(...); EXPECT_EQ(...); });
///   }
class ModelTest : public ::testing::Test {
 protected:
  ModelTest();
  ~ModelTest() override;

  /// Elaborates and runs until the stimulus returns, at most for `limit` of simulated time.
  void simulate(std::function<void()> stimulus,
                const sc_core::sc_time& limit = sc_core::sc_time(1, sc_core::SC_SEC));

  /// Announces a SystemC report of this type. The report then does not fail the test, but its
  /// absence does.
  void expect_report(const std::string& type);

  void TearDown() override;

 private:
  static void handle_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions);
  static ModelTest* current_;

  bool simulated_ = false;
  bool finished_ = false;
  std::vector<std::string> expected_reports_;
};

}  // namespace dcc::model
