#include "host_stub.h"

#include <atomic>
#include <limits>
#include <sstream>

#include "sc_time.h"

namespace dcc::model {
namespace {

// Stack size of the application's thread. The application keeps only its buffers of completions on
// the stack.
constexpr std::size_t kStackBytes = 256 * 1024;

const char* response_name(tlm::tlm_response_status status) {
  switch (status) {
    case tlm::TLM_ADDRESS_ERROR_RESPONSE:
      return "no register there";
    case tlm::TLM_COMMAND_ERROR_RESPONSE:
      return "the register does not allow it";
    case tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE:
    case tlm::TLM_BURST_ERROR_RESPONSE:
      return "wrong access width";
    case tlm::TLM_INCOMPLETE_RESPONSE:
      return "no target answered";
    default:
      return "the value is refused";
  }
}

}  // namespace

HostStub::HostStub(const sc_core::sc_module_name& name, Program program,
                   const sc_core::sc_time& quantum)
    : sc_core::sc_module(name), program_(std::move(program)), quantum_(quantum) {
  hal_.context = this;
  hal_.read32 = [](void* self, std::uint64_t address) {
    return static_cast<HostStub*>(self)->read32(address);
  };
  hal_.write32 = [](void* self, std::uint64_t address, std::uint32_t value) {
    static_cast<HostStub*>(self)->write32(address, value);
  };
  hal_.memory = [](void* self, std::uint64_t address, std::uint64_t bytes) {
    return static_cast<HostStub*>(self)->memory(address, bytes);
  };
  // A compiler barrier is sufficient: the simulated program runs in one thread, so only the
  // compiler could reorder accesses.
  hal_.barrier = [](void*) { std::atomic_signal_fence(std::memory_order_seq_cst); };
  hal_.time_ns = [](void* self) {
    return static_cast<std::uint64_t>(static_cast<HostStub*>(self)->now().value()) /
           kPicosecondsPerNanosecond;
  };
  hal_.wait_for_interrupt = [](void* self, std::uint64_t deadline_ns) {
    return static_cast<HostStub*>(self)->wait_for_interrupt(deadline_ns);
  };
  SC_HAS_PROCESS(HostStub);
  SC_THREAD(run);
  set_stack_size(kStackBytes);
}

void HostStub::run() {
  exit_code_ = program_(hal_);
  catch_up();
  finished_ = true;
}

void HostStub::set_interrupt(bool high) {
  if (high == interrupt_) return;
  interrupt_ = high;
  if (!high) return;
  if (notifier_) {
    notifier_(wake_);
  } else {
    wake_.notify(sc_core::SC_ZERO_TIME);
  }
}

void HostStub::catch_up() {
  if (delay_ == sc_core::SC_ZERO_TIME) return;
  const sc_core::sc_time ahead = delay_;
  delay_ = sc_core::SC_ZERO_TIME;
  sc_core::wait(ahead);
}

void HostStub::access(tlm::tlm_command command, std::uint64_t address, std::uint32_t& value) {
  payload_.set_command(command);
  payload_.set_address(address);
  payload_.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload_.set_data_length(4);
  payload_.set_streaming_width(4);
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  socket->b_transport(payload_, delay_);
  if (!payload_.is_response_ok()) {
    std::ostringstream sentence;
    sentence << name() << ": " << (command == tlm::TLM_READ_COMMAND ? "read" : "write");
    if (command == tlm::TLM_WRITE_COMMAND) sentence << " of 0x" << std::hex << value;
    sentence << " at 0x" << std::hex << address;
    if (namer_) sentence << " (" << namer_(address) << ")";
    sentence << " failed: " << response_name(payload_.get_response_status());
    fatal(sentence.str());
  }
  if (delay_ > quantum_) catch_up();
}

std::uint32_t HostStub::read32(std::uint64_t address) {
  std::uint32_t value = 0;
  access(tlm::TLM_READ_COMMAND, address, value);
  return value;
}

void HostStub::write32(std::uint64_t address, std::uint32_t value) {
  access(tlm::TLM_WRITE_COMMAND, address, value);
}

void* HostStub::memory(std::uint64_t address, std::uint64_t bytes) {
  if (!granted_ || address < dmi_.get_start_address() || address > dmi_.get_end_address()) {
    tlm::tlm_generic_payload request;
    request.set_command(tlm::TLM_WRITE_COMMAND);
    request.set_address(address);
    dmi_.init();
    granted_ = socket->get_direct_mem_ptr(request, dmi_) && dmi_.is_read_write_allowed();
    if (!granted_) return nullptr;
  }
  // number of bytes after `address` in the DMI range
  const std::uint64_t after = dmi_.get_end_address() - address;
  if (bytes != 0 && bytes - 1 > after) return nullptr;
  return dmi_.get_dmi_ptr() + (address - dmi_.get_start_address());
}

int HostStub::wait_for_interrupt(std::uint64_t deadline_ns) {
  catch_up();
  const bool forever =
      deadline_ns > std::numeric_limits<std::uint64_t>::max() / kPicosecondsPerNanosecond;
  if (interrupt_) return 1;
  while (!interrupt_) {
    if (forever) {
      sc_core::wait(wake_);
      continue;
    }
    const sc_core::sc_time deadline =
        sc_core::sc_time::from_value(deadline_ns * kPicosecondsPerNanosecond);
    if (sc_core::sc_time_stamp() >= deadline) return 0;
    sc_core::wait(deadline - sc_core::sc_time_stamp(), wake_);
  }
  return 1;
}

void HostStub::fatal(const std::string& sentence) {
  failure_ = sentence;
  if (on_fatal_) {
    on_fatal_(sentence);
  } else {
    sc_core::sc_stop();
  }
  for (;;) sc_core::wait(never_);
}

}  // namespace dcc::model
