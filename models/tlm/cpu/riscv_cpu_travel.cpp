// The CPU goes back for its debugger: to snapshots of the whole simulation, and on from there.
#include <iterator>
#include <sstream>

#include "cpu/riscv_cpu.h"

namespace dcc::model {
namespace {

constexpr std::uint64_t kShortWay = 20'000;  // instructions; shorter ones are run again as they are
constexpr std::size_t kMaxOnTheWay = 64;     // snapshots, before none is taken for a journey alone
constexpr char kNoHistory[] = "replaylog:begin;";

}  // namespace

DebugStop RiscvCpu::no_history() { return {5, kNoHistory, ""}; }

/// False: the debugger wants to go back where nothing is known.
bool RiscvCpu::resume_as(GdbServer::Resume resume) {
  single_step_ = resume == GdbServer::Resume::kStep;
  if (resume == GdbServer::Resume::kKill) end(State::kKilled);
  if (machine_ == nullptr || state_ != State::kRunning) return true;
  if (!gdb_->attached()) {
    // The next one is another connection, which snapshots of this one know nothing of.
    first_mark_ = machine_->snapshots();
    return true;
  }
  const bool back = resume == GdbServer::Resume::kBack || resume == GdbServer::Resume::kStepBack;
  if (!back) {
    // What a debugger writes is not in the run: from here on it is in a snapshot.
    const bool wrote = gdb_->take_writes();
    if (wrote || machine_->snapshots() == first_mark_) mark();
    return true;
  }
  gdb_->take_writes();
  const std::uint64_t here = hart_.steps();
  marks_.resize(machine_->snapshots());
  if (machine_->snapshots() == first_mark_ || here <= marks_[first_mark_]) {
    return false;
  }
  const bool search = resume == GdbServer::Resume::kBack;
  travel(search, search ? here : here - 1, 0, "");
  return true;
}

void RiscvCpu::mark() {
  marks_.resize(machine_->snapshots());
  marks_.push_back(hart_.steps());
  if (const std::optional<std::string> orders = machine_->take_snapshot()) obey(*orders);
}

/// From the last snapshot before; a search from one that lies before what it looks for.
void RiscvCpu::travel(bool search, std::uint64_t end, std::uint32_t pc, const std::string& extra) {
  std::size_t number = machine_->snapshots() - 1;
  while (number > first_mark_ && (search ? marks_[number] >= end : marks_[number] > end)) --number;
  std::ostringstream orders;
  orders << search << ' ' << end << ' ' << pc << ' ' << extra << '\n' << gdb_->told();
  machine_->travel(number, orders.str());
}

void RiscvCpu::obey(const std::string& orders) {
  std::istringstream text(orders);
  journey_ = std::make_unique<Journey>();
  text >> journey_->search >> journey_->end >> journey_->pc;
  text.get();
  std::getline(text, journey_->extra);
  const std::string told(std::istreambuf_iterator<char>(text), {});
  gdb_->learn(told);
  if (journey_->search) gdb_->suspend_points(false);
  single_step_ = stepping_over_ = false;
  watched_.clear();
  change_note_.clear();
  const std::uint64_t way = journey_->end - hart_.steps();
  const bool mark_halfway = way > kShortWay && machine_->snapshots() < kMaxOnTheWay;
  journey_->stage = hart_.steps() + (mark_halfway ? way / 2 : way);
}

void RiscvCpu::found_on_the_way(std::uint64_t at, std::uint32_t pc, const std::string& extra) {
  stepping_over_ = true;
  if (at >= journey_->end) return;
  journey_->found = true;
  journey_->at = at;
  journey_->found_pc = pc;
  journey_->found_extra = extra;
}

void RiscvCpu::arrive() {
  if (journey_->stage < journey_->end) {
    journey_->stage = journey_->end;
    // What is found before it belongs to the journey, not to the snapshot: obey() forgets it.
    mark();
    return;
  }
  const Journey journey = *journey_;
  if (journey.search) {
    if (journey.found) travel(false, journey.at, journey.found_pc, journey.found_extra);
    std::size_t number = machine_->snapshots() - 1;
    while (number > first_mark_ && marks_[number] >= journey.end) --number;
    if (number > first_mark_) travel(true, marks_[number], 0, "");
    travel(false, marks_[first_mark_], 0, kNoHistory);
  }
  journey_.reset();
  // A breakpoint at the first instruction of a handler is met when its interrupt is taken.
  if (journey.pc != 0 && hart_.pc() != journey.pc) hart_.take_interrupt();
  gdb_->suspend_points(false);
  machine_->arrived();
  stop_for_debugger(DebugStop{5, journey.extra, ""});
}

}  // namespace dcc::model
