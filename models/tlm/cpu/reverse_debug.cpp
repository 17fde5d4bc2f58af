#include "cpu/reverse_debug.h"

#include <cstdlib>
#include <iterator>
#include <sstream>

namespace dcc::model {
namespace {

// Number of instructions below which a replay is repeated as a whole instead of taking another
// snapshot.
constexpr std::uint64_t kShortReplay = 20'000;
// Number of snapshots from which on replays take no further snapshots.
constexpr std::size_t kMaxReplaySnapshots = 64;
constexpr char kNoHistory[] = "replaylog:begin;";

}  // namespace

DebugStop ReverseDebug::no_history() { return {5, kNoHistory, ""}; }

void ReverseDebug::take_due_snapshot() {
  if (history_ != nullptr && gdb_->attached() && history_->is_due()) take_snapshot();
}

bool ReverseDebug::resume(GdbServer::Resume resume) {
  if (history_ == nullptr) return true;
  if (!gdb_->attached()) {
    // Forgets the debugger's snapshots taken so far, because they do not know the connection of the
    // next debugger.
    first_snapshot_ = history_->snapshots();
    return true;
  }
  const bool wrote = gdb_->consume_writes();
  const bool back = resume == GdbServer::Resume::kBack || resume == GdbServer::Resume::kStepBack;
  if (!back) {
    if (wrote || history_->snapshots() == first_snapshot_) take_snapshot();
    return true;
  }
  const std::uint64_t here = hart_.steps();
  moments_.resize(history_->snapshots());
  if (history_->snapshots() == first_snapshot_ || here <= moments_[first_snapshot_]) return false;
  const bool search = resume == GdbServer::Resume::kBack;
  restore(search, search ? here : here - 1, 0, "");
}

void ReverseDebug::take_snapshot() {
  moments_.resize(history_->snapshots());
  moments_.push_back(hart_.steps());
  if (const std::optional<std::string> request = history_->take_snapshot()) accept(*request);
}

void ReverseDebug::restore(bool search, std::uint64_t end, std::uint32_t pc,
                           const std::string& extra) {
  std::size_t number = history_->snapshots() - 1;
  while (number > first_snapshot_ && (search ? moments_[number] >= end : moments_[number] > end)) {
    --number;
  }
  std::ostringstream request;
  request << search << ' ' << end << ' ' << pc << ' ' << extra << '\n' << gdb_->save_session();
  history_->restore(number, request.str());
  std::abort();  // never reached, but compilers do not see that a virtual function never returns
}

void ReverseDebug::accept(const std::string& text) {
  std::istringstream in(text);
  request_ = std::make_unique<Request>();
  in >> request_->search >> request_->end >> request_->pc;
  in.get();
  std::getline(in, request_->extra);
  gdb_->restore_session(std::string(std::istreambuf_iterator<char>(in), {}));
  if (request_->search) gdb_->suspend_points(false);
  if (on_restored_) on_restored_();
  const std::uint64_t distance = request_->end - hart_.steps();
  const bool halve = distance > kShortReplay && history_->snapshots() < kMaxReplaySnapshots;
  request_->stage = hart_.steps() + (halve ? distance / 2 : distance);
}

void ReverseDebug::note_stop(std::uint64_t at, std::uint32_t pc, const std::string& extra) {
  if (at >= request_->end) return;
  request_->found = true;
  request_->found_at = at;
  request_->found_pc = pc;
  request_->found_extra = extra;
}

/// Returns to the stop that the search found; without one, searches before the snapshot from which
/// this search began.
void ReverseDebug::continue_search(const Request& done) {
  if (done.found) restore(false, done.found_at, done.found_pc, done.found_extra);
  std::size_t number = history_->snapshots() - 1;
  while (number > first_snapshot_ && moments_[number] >= done.end) --number;
  if (number > first_snapshot_) restore(true, moments_[number], 0, "");
  restore(false, moments_[first_snapshot_], 0, kNoHistory);
}

std::optional<DebugStop> ReverseDebug::arrive() {
  if (request_->stage < request_->end) {
    request_->stage = request_->end;
    // Takes a snapshot without the stop that was found earlier, since accept() begins a new
    // request.
    take_snapshot();
    return std::nullopt;
  }
  const Request done = *request_;
  if (done.search) continue_search(done);
  request_.reset();
  // A breakpoint at the first instruction of an interrupt handler stops when the hart takes the
  // interrupt.
  if (done.pc != 0 && hart_.pc() != done.pc) hart_.take_interrupt();
  gdb_->suspend_points(false);
  history_->finish_replay();
  return DebugStop{5, done.extra, ""};
}

}  // namespace dcc::model
