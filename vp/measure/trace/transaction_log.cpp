#include "measure/trace/transaction_log.h"

#include <cinttypes>
#include <cstdio>

namespace dcc::vp {
namespace {

std::string json_line(const regs::AccessRecord& a) {
  char times[96];
  std::snprintf(times, sizeof times, "{\"begin_ps\": %" PRId64 ", \"end_ps\": %" PRId64,
                a.begin.count, a.end.count);
  char address[64];
  std::snprintf(address, sizeof address, "\"address\": \"0x%08" PRIx64 "\"", a.address);
  return std::string(times) + ", \"path\": " + json_string(a.path) +
         ", \"target\": " + json_string(a.target) + ", \"command\": \"" + (a.write ? "WR" : "RD") +
         "\", " + address + ", \"name\": " + json_string(a.name) +
         ", \"data\": " + json_string(a.data_text()) + ", \"bytes\": " + std::to_string(a.length) +
         ", \"response\": \"" + a.response + "\"}";
}

}  // namespace

TransactionLog::TransactionLog(const std::filesystem::path& file, const TraceConfig& config)
    : config_(config), file_(file) {}

bool TransactionLog::selects(const TraceConfig& config, const regs::AccessRecord& access) {
  if (!in_window(config, access.begin)) return false;
  return config.sockets.empty() || access.path.find(config.sockets) != std::string::npos ||
         access.target.find(config.sockets) != std::string::npos;
}

void TransactionLog::write(const regs::AccessRecord& access) {
  if (!selects(config_, access)) return;
  file_.text() << (config_.transactions == TransactionTrace::kJson ? json_line(access)
                                                                   : to_text(access))
               << '\n';
}

}  // namespace dcc::vp
