#include "traffic/dependencies.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "describe/quantity_text.h"
#include "traffic/dependency_circles.h"
#include "traffic/traffic_entry.h"

namespace dcc {

namespace {

constexpr std::uint32_t kNone = FlowSpec::kNone;

/// An awaited event: of a named flow or computation, or of a whole entry.
struct Awaited {
  std::uint16_t entry;
  std::uint32_t line;  // line of the trace that is waited for; kNone: the whole entry
  bool sent;
};

class Resolver {
 public:
  Resolver(const std::vector<TrafficSpec>& specs, const TrafficContext& context,
           std::vector<FlowSpec>& flows)
      : specs_(specs), context_(context), flows_(flows), lines_(specs.size()) {}

  Dependencies resolve() {
    for (const FlowSpec& flow : flows_) {
      for (const std::uint32_t gate : {flow.opens, flow.waits_at}) {
        if (gate != kNone) out_.first = std::max(out_.first, gate + 1);
      }
    }
    out_.takes_part.assign(specs_.size(), false);
    out_.traces = context_.traces;
    name_entries();
    sort_by_entry();
    for (std::uint16_t entry = 0; entry < specs_.size(); ++entry) wait_lines(entry);
    for (std::uint16_t entry = 0; entry < specs_.size(); ++entry) wait_entry(entry);
    check_circles(out_, flows_, specs_);
    return std::move(out_);
  }

 private:
  using Gate = Dependencies::Gate;
  /// Flows, names and computations of the lines of a trace.
  struct Lines {
    const Trace* trace =
        // trace of the entry; null: the entry has no trace, or the trace's lines have no names
        nullptr;
    std::vector<std::uint32_t> of_name;  // line number of each name; kNone: the name is not defined
    // flow of each line; kNone: the line has no flow, or is left out
    std::vector<std::uint32_t> flow;
    std::vector<std::uint32_t> computation;  // number of the computation of each line
  };

  /// A gate that waits for all flows of a traffic entry. `host`: a host at which a flow of the
  /// entry ends; `another`: a second such host, or the same one if all flows end at one host.
  struct Whole {
    std::uint32_t gate = kNone;
    HostId host = 0;
    HostId another = 0;
  };

  std::string place(std::uint16_t entry, std::uint32_t line) const {
    return place_of(specs_, *context_.traces, entry, line);
  }
  [[noreturn]] void fail(std::uint16_t entry, std::uint32_t line, const std::string& key,
                         const std::string& sentence) const {
    throw TrafficError(place(entry, line) + (line == kNone ? key : "") + ": " + sentence);
  }
  static std::string where(std::uint16_t entry) { return "traffic." + std::to_string(entry); }

  void name_entries() {
    for (std::uint16_t entry = 0; entry < specs_.size(); ++entry) {
      const TrafficSpec& spec = specs_[entry];
      // an entry without an id cannot be waited for; FlowStream refuses duplicate ids
      if (spec.id.empty()) continue;
      entries_.emplace(spec.id, entry);
    }
  }

  void sort_by_entry() {
    by_entry_.resize(specs_.size());
    for (std::uint16_t entry = 0; entry < specs_.size(); ++entry) {
      const TrafficSpec& spec = specs_[entry];
      if (spec.pattern == TrafficPattern::kCompute) {
        const TrafficEntry of(spec, context_, entry);
        for (const HostId host : of.named_or_all(spec.hosts)) {
          out_.computations.push_back(
              {host, spec.processor, spec.time, spec.start, kNone, entry, kNone});
        }
      }
      if (spec.pattern == TrafficPattern::kTrace) read_lines(entry);
    }
    for (const FlowSpec& flow : flows_) {
      by_entry_[flow.entry].flows.push_back(flow.id);
      if (flow.line != kNone) lines_[flow.entry].flow[flow.line] = flow.id;
    }
    for (std::uint32_t i = 0; i < out_.computations.size(); ++i) {
      by_entry_[out_.computations[i].entry].computations.push_back(i);
    }
  }

  void read_lines(std::uint16_t entry) {
    const Trace& trace = context_.traces->at(specs_[entry].file);
    if (!trace.waits) return;
    Lines& lines = lines_[entry];
    lines.trace = &trace;
    lines.of_name.assign(trace.names.size(), kNone);
    lines.flow.assign(trace.flows.size(), kNone);
    lines.computation.assign(trace.flows.size(), kNone);
    for (std::uint32_t line = 0; line < trace.flows.size(); ++line) {
      const TraceFlow& one = trace.flows[line];
      if (one.name != TraceFlow::kNone) {
        std::uint32_t& named = lines.of_name[one.name];
        if (named != kNone) {
          fail(entry, line, "",
               "'" + trace.names[one.name] + "' is the name of line " +
                   std::to_string(trace.flows[named].line));
        }
        named = line;
      }
      if (!one.computes) continue;
      if (one.from >= context_.hosts) {
        fail(entry, line, "",
             "there is no host " + std::to_string(one.from) + " (the topology has " +
                 std::to_string(context_.hosts) + ")");
      }
      lines.computation[line] = static_cast<std::uint32_t>(out_.computations.size());
      out_.computations.push_back({one.from, one.priority, PicoSeconds(one.bytes),
                                   specs_[entry].start, kNone, entry, line});
    }
  }

  // ---- Resolving names

  Awaited find(std::uint16_t entry, std::uint32_t line, std::string name, bool sent) const {
    const std::string text = name;
    const std::size_t colon = name.find(':');
    if (colon != std::string::npos) {
      const std::string event = name.substr(colon + 1);
      if (event != "sent" && event != "received") {
        fail(entry, line, ".after.flows", "'" + text + "' ends neither in :sent nor in :received");
      }
      sent = event == "sent";
      name.resize(colon);
    }
    const std::size_t dot = name.find('.');
    const auto found = entries_.find(name.substr(0, dot));
    if (found == entries_.end()) {
      std::vector<std::string> known;
      for (const auto& [id, number] : entries_) known.push_back(id);
      unknown(entry, line, name, known);
    }
    if (dot == std::string::npos) {
      const OfEntry& all = by_entry_[found->second];
      if (all.flows.empty() && all.computations.empty()) {
        fail(entry, line, ".after.flows",
             "waits for flows of " + where(found->second) +
                 ", which has none before the end of the run: a longer duration, or more load");
      }
      return {found->second, kNone, sent};
    }
    const Lines& lines = lines_[found->second];
    const std::string wanted = name.substr(dot + 1);
    if (lines.trace != nullptr) {
      const std::vector<std::string>& names = lines.trace->names;
      const auto at = std::find(names.begin(), names.end(), wanted);
      const auto number = static_cast<std::size_t>(at - names.begin());
      if (at != names.end() && lines.of_name[number] != kNone) {
        return {found->second, lines.of_name[number], sent};
      }
    }
    fail(entry, line, ".after.flows",
         "'" + name.substr(0, dot) + "' has no line with id=" + wanted);
  }
  [[noreturn]] void unknown(std::uint16_t entry, std::uint32_t line, const std::string& name,
                            const std::vector<std::string>& known) const {
    const std::string near = nearest(name, known);
    fail(entry, line, ".after.flows",
         (line == kNone ? "no entry has the id '" : "no line and no entry has the name '") + name +
             "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }

  // ---- Making gates

  /// Makes gates for lines of a trace, which wait for lines of their own file, or else for entries.
  void wait_lines(std::uint16_t entry) {
    const Lines& lines = lines_[entry];
    if (lines.trace == nullptr) return;
    const Trace& trace = *lines.trace;
    for (std::uint32_t line = 0; line < trace.flows.size(); ++line) {
      const TraceFlow& one = trace.flows[line];
      if (one.wait == TraceFlow::kNone) continue;
      const bool computes = one.computes;
      const std::uint32_t waiting = computes ? lines.computation[line] : lines.flow[line];
      if (waiting == kNone) continue;  // skips a waiting line that is left out of the run
      const TraceWait& wait = trace.wait_list[one.wait];
      Gate gate;
      gate.host = one.from;
      gate.any = wait.any;
      gate.delay = wait.delay;
      gate.not_before = computes ? specs_[entry].start : flows_[waiting].start;
      gate.origin = gate.not_before;
      gate.entry = entry;
      gate.line = line;
      const std::uint32_t number = add(gate);
      for (const TraceWait::Awaited& on : wait.on) {
        if (lines.of_name[on.name] != kNone) {
          await(number, {entry, lines.of_name[on.name], on.sent});
        } else if (entries_.count(trace.names[on.name]) != 0) {
          await(number, find(entry, line, trace.names[on.name], on.sent));
        } else {
          unknown(entry, line, trace.names[on.name], defined_names(lines));
        }
      }
      (computes ? out_.computations[waiting].waits_at : flows_[waiting].waits_at) = number;
    }
  }
  static std::vector<std::string> defined_names(const Lines& lines) {
    std::vector<std::string> known;
    for (std::size_t name = 0; name < lines.of_name.size(); ++name) {
      if (lines.of_name[name] != kNone) known.push_back(lines.trace->names[name]);
    }
    return known;
  }

  /// Makes a gate at each host at which flows or computations of the entry begin. If all these
  /// gates wait for the same events, one more gate awaits these events and opens the others.
  void wait_entry(std::uint16_t entry) {
    const TrafficSpec& spec = specs_[entry];
    if (!spec.waits()) return;
    std::map<HostId, std::uint32_t> gates;
    const auto gate_at = [&](HostId host) {
      const auto found = gates.find(host);
      if (found != gates.end()) return found->second;
      Gate gate;
      gate.host = host;
      gate.any = spec.after.need == WaitNeed::kAny;
      gate.delay = spec.after.delay;
      gate.not_before = gate.origin = spec.start;
      gate.entry = entry;
      return gates.emplace(host, add(gate)).first->second;
    };
    const auto begins = [&](HostId host, std::uint32_t& waits_at) {
      if (waits_at == kNone) {
        waits_at = gate_at(host);
      } else if (spec.pattern == TrafficPattern::kTrace) {
        hold_line(gate_at(host), waits_at);
      }
    };
    for (const std::uint32_t flow : by_entry_[entry].flows) {
      begins(flows_[flow].from, flows_[flow].waits_at);
    }
    for (const std::uint32_t one : by_entry_[entry].computations) {
      begins(out_.computations[one].host, out_.computations[one].waits_at);
    }
    const bool by_host = spec.after.scope == WaitScope::kHost;
    if (by_host) hold_steps(entry, gate_at);
    std::vector<Awaited> awaited;
    for (const std::string& name : spec.after.flows) {
      awaited.push_back(find(entry, kNone, name, spec.after.event == WaitEvent::kSent));
    }
    if (gates.empty()) return;
    if (by_host) return await_by_host(entry, gates, awaited);
    std::uint32_t number = gates.begin()->second;
    if (gates.size() > 1) {
      Gate all = gate_of(number);
      all.delay = all.not_before = PicoSeconds(0);
      number = add(all);
      for (const auto& [host, gate] : gates) {
        Gate& its = gate_of(gate);
        its.any = false;
        join(number, gate);
        crosses(gate_of(number).host, gate);
      }
    }
    for (const Awaited& one : awaited) await(number, one);
  }

  /// Makes a line with its own `after`, in an entry that waits too, wait for both. The line's start
  /// counts from the begin of the entry.
  void hold_line(std::uint32_t whole, std::uint32_t& waits_at) {
    Gate both = gate_of(waits_at);
    both.any = false;
    both.awaited = 0;
    both.delay = PicoSeconds(0);
    Gate start = both;
    start.delay = both.not_before - gate_of(whole).origin;
    const std::uint32_t started = add(start);
    const std::uint32_t number = add(both);
    join(whole, started);
    join(started, number);
    join(waits_at, number);
    waits_at = number;
  }

  /// Makes steps of a collective, or of a query down a tree, wait for the host's own begin under
  /// `scope: host`.
  template <class GateAt>
  void hold_steps(std::uint16_t entry, GateAt gate_at) {
    std::set<std::uint32_t> held;
    for (const std::uint32_t id : by_entry_[entry].flows) {
      const FlowSpec& flow = flows_[id];
      if (flow.waits_at >= out_.first || !held.insert(flow.waits_at).second) continue;
      out_.joined.push_back({gate_at(flow.from), flow.waits_at});
    }
  }

  void await_by_host(std::uint16_t entry, const std::map<HostId, std::uint32_t>& gates,
                     const std::vector<Awaited>& awaited) {
    for (const Awaited& one : awaited) {
      each_of(one, entry, kNone,
              [&](HostId host, std::vector<Dependencies::Edge>& edges, std::uint32_t source) {
                const auto gate = gates.find(host);
                if (gate == gates.end()) return;
                ++gate_of(gate->second).awaited;
                if (source != kNone) edges.push_back({source, gate->second});
              });
    }
    for (const auto& [host, gate] : gates) {
      if (gate_of(gate).awaited != 0) continue;
      fail(entry, kNone, ".after.scope",
           "host: host " + std::to_string(host) +
               " begins something here and nothing that it waits for ends there");
    }
  }

  void await(std::uint32_t gate, const Awaited& one) {
    const Gate its = gate_of(gate);
    const OfEntry& all = by_entry_[one.entry];
    if (one.line == kNone && all.flows.size() + all.computations.size() > 1) {
      out_.takes_part[its.entry] = true;
      const Whole& whole = await_whole(one, its);
      join(whole.gate, gate);
      for (const HostId host : {whole.host, whole.another}) crosses(host, gate);
      return;
    }
    each_of(one, its.entry, its.line,
            [&](HostId host, std::vector<Dependencies::Edge>& edges, std::uint32_t source) {
              ++gate_of(gate).awaited;
              if (source == kNone) return;
              edges.push_back({source, gate});
              crosses(host, gate);
            });
  }
  /// The gate that awaits the end of a whole entry, or its first end; all entries that wait for it
  /// share the gate.
  const Whole& await_whole(const Awaited& one, const Gate& waiting) {
    const auto [found, added] =
        wholes_.emplace(std::make_tuple(one.entry, one.sent, waiting.any), Whole());
    Whole& whole = found->second;
    if (!added) return whole;
    Gate gate;
    gate.any = waiting.any;
    gate.entry = waiting.entry;
    gate.line = waiting.line;
    whole.gate = add(gate);
    std::uint32_t awaited = 0;
    each_of(one, waiting.entry, waiting.line,
            [&](HostId host, std::vector<Dependencies::Edge>& edges, std::uint32_t source) {
              if (awaited++ == 0) whole.host = whole.another = host;
              if (host != whole.host) whole.another = host;
              edges.push_back({source, whole.gate});
            });
    gate_of(whole.gate).awaited = awaited;
    gate_of(whole.gate).host = whole.host;
    return whole;
  }
  void join(std::uint32_t first, std::uint32_t then) {
    ++gate_of(then).awaited;
    out_.joined.push_back({first, then});
  }

  /// Calls `visit(host, edges, source)` for each flow and computation of an entry: the host that
  /// knows of its end, the edges of its kind, and its number (kNone for a line that is left out).
  /// `entry` and `line` name the waiting entry in messages.
  template <class Visit>
  void each_of(const Awaited& one, std::uint16_t entry, std::uint32_t line, Visit visit) {
    out_.takes_part[entry] = out_.takes_part[one.entry] = true;
    const auto flow = [&](std::uint32_t id) {
      check_awaited(flows_[id], entry, line);
      visit(one.sent ? flows_[id].from : flows_[id].to, one.sent ? out_.sent : out_.received, id);
    };
    const auto computation = [&](std::uint32_t id) {
      visit(out_.computations[id].host, out_.computed, id);
    };
    if (one.line != kNone) {
      const Lines& lines = lines_[one.entry];
      if (lines.computation[one.line] != kNone) return computation(lines.computation[one.line]);
      if (lines.flow[one.line] != kNone) return flow(lines.flow[one.line]);
      const TraceFlow& left_out = lines.trace->flows[one.line];
      return visit(one.sent ? left_out.from : left_out.to, out_.received, kNone);
    }
    for (const std::uint32_t id : by_entry_[one.entry].flows) flow(id);
    for (const std::uint32_t id : by_entry_[one.entry].computations) computation(id);
  }
  void check_awaited(const FlowSpec& flow, std::uint16_t entry, std::uint32_t line) const {
    const std::string which = "waits for flows of " + place(flow.entry, flow.line);
    if (flow.bytes == 0) {
      fail(entry, line, ".after.flows", which + ", which have no end: give them bytes");
    }
    if (!is_reliable(flow.service)) {
      fail(entry, line, ".after.flows", which + ", which nobody repeats: service: rc");
    }
    if (flow.operation != Operation::kWrite && flow.operation != Operation::kSend) {
      fail(entry, line, ".after.flows", which + ", which are neither written nor sent");
    }
  }

  std::uint32_t add(const Gate& gate) {
    out_.gates.push_back(gate);
    return out_.first + static_cast<std::uint32_t>(out_.gates.size() - 1);
  }
  Gate& gate_of(std::uint32_t number) { return out_.gates[number - out_.first]; }
  void crosses(HostId host, std::uint32_t gate) {
    const Gate& its = gate_of(gate);
    if (host == its.host || !out_.crossing.empty()) return;
    out_.crossing = place(its.entry, its.line) + ": host " + std::to_string(its.host) +
                    " waits for what ends at host " + std::to_string(host);
  }

  struct OfEntry {
    std::vector<std::uint32_t> flows;
    std::vector<std::uint32_t> computations;
  };

  const std::vector<TrafficSpec>& specs_;
  const TrafficContext& context_;
  std::vector<FlowSpec>& flows_;
  Dependencies out_;
  std::map<std::string, std::uint16_t> entries_;  // number of each entry that has an id, by id
  std::vector<OfEntry> by_entry_;
  std::vector<Lines> lines_;  // lines of each entry's trace, by entry
  // gates for whole entries, by (entry, sent, any)
  std::map<std::tuple<std::uint16_t, bool, bool>, Whole> wholes_;
};

}  // namespace

std::string place_of(const std::vector<TrafficSpec>& specs, TraceStore& traces, std::uint16_t entry,
                     std::uint32_t line) {
  if (line == kNone) return "traffic." + std::to_string(entry);
  const std::string& file = specs[entry].file;
  return file + ":" + std::to_string(traces.at(file).flows[line].line);
}

Dependencies resolve_dependencies(const std::vector<TrafficSpec>& specs,
                                  const TrafficContext& context, std::vector<FlowSpec>& flows) {
  return Resolver(specs, context, flows).resolve();
}

}  // namespace dcc
