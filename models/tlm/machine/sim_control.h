// A device through which a program tells the simulator its exit code and console output.
#pragma once

#include <cstdint>
#include <functional>

#include "word_target.h"

namespace dcc::model {

/// The SimControl device; its registers (memory_map.h) are both write-only.
class SimControl final : public WordTarget {
 public:
  SimControl(const sc_core::sc_module_name& name, std::function<void(std::uint32_t code)> on_exit,
             std::function<void(char c)> console);

 private:
  tlm::tlm_response_status read(std::uint32_t offset, std::uint32_t& value) override;
  tlm::tlm_response_status write(std::uint32_t offset, std::uint32_t value) override;
  std::optional<std::uint32_t> peek(std::uint32_t offset) const override;

  std::function<void(std::uint32_t code)> on_exit_;
  std::function<void(char c)> console_;
};

}  // namespace dcc::model
