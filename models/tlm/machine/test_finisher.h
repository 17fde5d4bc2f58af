// The device by which a program ends the run on `virt`, compatible with SiFive's test finisher.
#pragma once

#include <cstdint>
#include <functional>

#include "word_target.h"

namespace dcc::model {

/// The test finisher has one register (memory_map_virt.h); all words read zero. Writes of values
/// other than pass and fail, reset included, have no effect.
class TestFinisher final : public WordTarget {
 public:
  TestFinisher(const sc_core::sc_module_name& name,
               std::function<void(std::uint32_t code)> on_exit);

 private:
  tlm::tlm_response_status write(std::uint32_t offset, std::uint32_t value) override;
  std::optional<std::uint32_t> peek(std::uint32_t offset) const override;

  std::function<void(std::uint32_t code)> on_exit_;
};

}  // namespace dcc::model
