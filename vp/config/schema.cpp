#include "config/schema.h"

#include "config/plugins.h"
#include "describe/class_ranges.h"

namespace dcc::vp {
namespace {

void describe_dscp(ParameterVisitor& v, DscpConfig& c) {
  v.field("weight", c.weight, {"1/8", "128"},
          {"weight of a flow's share of a congested link", "", kRuntime});
  v.field("priority", c.priority, any_priority(), {"802.1p priority: switch queue and PFC class"});
  v.text("tenant", c.tenant, {"the tenant whose flows use this class (a name of `tenants`)"});
  v.field("min_rate", c.min_rate, "none", {"1Mbps", "10Tbps"},
          {"a flow's rate is never cut below this", "InfiniBand CCTI_Limit's role", kRuntime});
  v.field("max_rate", c.max_rate, "none", {"1Mbps", "10Tbps"},
          {"a flow's rate never rises above this", "InfiniBand CCTI_Min's role", kRuntime});
}

void describe_packet_trace(ParameterVisitor& v, PacketTraceConfig& c) {
  v.text("name", c.name, {"the file is trace/<name>.pcapng"});
  v.names("ports", c.ports, "all",
          {"a wire (s0->h3), a cable (s0--h3, both directions) or all wires at a node (h3)"});
  v.numbers_or_all("flows", c.flows, "flows", {"only packets of these flows (ids of flows.csv)"});
  v.field("from", c.from, {}, {"when the capture begins"});
  v.field("to", c.to, "end", {}, {"when the capture ends"});
  v.field("snap", c.snap, {"64B", "65535B"}, {"greatest number of bytes kept of a packet"});
}

void describe_trace(ParameterVisitor& v, TraceConfig& c) {
  v.list("packets", c.packets, {"captures, one pcapng file each", "draft-ietf-opsawg-pcapng"},
         [&](PacketTraceConfig& p) { describe_packet_trace(v, p); });
  v.hosts("hosts", c.hosts, {"hosts that are traced"});
  v.numbers_or_all("flows", c.flows, "flows",
                   {"flows whose controller events and rates are traced (ids of flows.csv)"});
  v.field("from", c.from, {}, {"begin of the window that is traced"});
  v.field("to", c.to, "end", {}, {"end of the window"});
  v.field("cpu", c.cpu, {}, {"cpu.hostN.txt: every instruction of firmware, with symbols"});
  v.field(
      "coverage", c.coverage, {},
      {"coverage.hostN.info, coverage.nicN.info: lines and branches of firmware and of programs "
       "of NICs that ran, in the whole run, for genhtml; of several harts a file each",
       "geninfo(1)"});
  v.field("profile", c.profile, {},
          {"callgrind.hostN.out, callgrind.nicN.out: cost of firmware and of programs of NICs by "
           "function, in the whole run, for callgrind_annotate; of several harts a file each"});
  v.choice("transactions", c.transactions,
           {"transactions.txt or transactions.jsonl: every access of software and DMA on a bus, "
            "with the register's name"});
  v.text("sockets", c.sockets,
         {"transactions whose path or target contains this, e.g. cpu or controller; empty: all"});
  v.field("perfetto", c.perfetto, {},
          {"trace.json: controller events, transactions, firmware functions, rates",
           "Trace Event Format"});
  v.field(
      "signals", c.signals, {},
      {"signals.vcd: queues, slots, rates, timer lag, interrupt lines", "IEEE 1364, clause 18"});
  v.field("interval", c.interval, {"10ns", "1s"},
          {"time between two samples of queues, lag and counters"});
}

void describe_output(ParameterVisitor& v, OutputConfig& c) {
  v.choice("flows", c.flows,
           {"what is kept of flows; all: each, in flows.csv; sketch: no flow that has ended, but "
            "counts and quantiles of completion times and slowdowns within 1/256 of the exact "
            "ones; none: counts",
            "DDSketch, VLDB 2019"});
  v.section("series", {"samples over time in series/*.csv"}, [&] {
    v.field("interval", c.series.interval, {"100ns", "1s"}, {"time between two samples"});
    v.choice("flows", c.series.flows, {"flows sampled into flow_rates.csv"});
    v.choice("queues", c.series.queues, {"egress queues sampled into queue.csv"});
    v.field("classes", c.series.classes, {}, {"write class.csv, goodput by DSCP"});
  });
  v.field("delays", c.delays, {},
          {"round trips and one-way delays by class, and which of them met a mark: delays of "
           "metrics.json, series/delays.csv"});
  v.choice("counters", c.counters,
           {"counters by the names of adapters and switches: counters of metrics.json, "
            "counters.csv, counters.prom; auto: up to 256 hosts and ports of switches"});
  v.section("trace",
            {"what happened, in files of trace/ that other tools open; all off by default"},
            [&] { describe_trace(v, c.trace); });
  v.section("digest", {"digest.csv: digests of the state of every device, for `dccvp bisect`"},
            [&] {
              v.field("every", c.digest.every, "none", {"1ps", "1000s"},
                      {"time between two rows; none: no file"});
              v.field("from", c.digest.from, {}, {"time of the first row"});
              v.field("to", c.digest.to, "end", {}, {"time of the last row"});
            });
  v.field("plots", c.plots, {}, {"draw PNGs if Python's matplotlib is installed"});
}

void describe_qos(ParameterVisitor& v, QosConfig& c) {
  v.field("manager", c.manager, "none", {}, {"host that runs the manager; none: open loop"});
  v.field("report_interval", c.report_interval, {"100us", "1s"},
          {"time between two reports of receivers on what each tenant received"});
  v.field("update_interval", c.update_interval, {"100us", "1s"},
          {"time between two updates of the senders' factors by the manager; a multiple of "
           "report_interval"});
  v.field("dscp", c.dscp, any_dscp(), {"DSCP of reports and commands"});
  v.field("priority", c.priority, any_priority(), {"802.1p priority of reports and commands"});
}

void describe_subnet(ParameterVisitor& v, SubnetConfig& c) {
  v.field("manager", c.manager, "none", {},
          {"host that runs InfiniBand's subnet manager, which discovers the fabric by management "
           "datagrams and grants or refuses `guarantee`; none: no management plane",
           "InfiniBand 1.3, 13 and 14"});
  v.field("response", c.response, {"1ns", "1s"},
          {"time that the agent of a node takes to answer a management datagram"});
}

void describe_fast_forward(ParameterVisitor& v, FastForwardConfig& c) {
  v.field("enabled", c.enabled, {}, {"skip time while the network is in a steady state"});
  v.field("window", c.window, {"1us", "1s"},
          {"time over which rates, queues and marks are compared; doubled while they are not "
           "known precisely enough",
           "batch means"});
  v.field("tolerance", c.tolerance, {"1/100000", "1/10"},
          {"required precision of the mean rate of flows, as a share of the rate"});
  v.field("memo", c.memo, {},
          {"take a burst of traffic from memory where it repeats: gated flows that start while the "
           "network is at rest"});
  v.field("memo_error", c.memo_error, {"0", "1"},
          {"greatest error of a remembered burst's completion times, found by a spot check; above "
           "it the burst is forgotten"});
  v.field("memo_check", c.memo_check, {"0", "1"},
          {"share of the repetitions that are simulated as spot checks, beside the first of each "
           "burst"});
}

void describe_expectation(ParameterVisitor& v, ExpectConfig& c) {
  v.text("metric", c.metric, {"dotted path into metrics.json, e.g. aggregate.goodput_gbps"});
  v.field("min", c.min, "none", {}, {"the run fails below this"});
  v.field("max", c.max, "none", {}, {"the run fails above this"});
}

}  // namespace

void describe_host(ParameterVisitor& v, HostConfig& c) {
  v.choice("driver", c.driver,
           {"who brings up the controller: driver code on the host, firmware on a RISC-V CPU, or "
            "the platform itself"});
  v.when(c.driver == DriverKind::kFirmware, "driver: firmware", [&] {
    v.choice(
        "machine", c.machine,
        {"devices and addresses that the firmware sees: this platform's own (dcc), or those of "
         "QEMU's machine virt, for which operating systems have drivers",
         "docs/cpu.md"});
    v.path("elf", c.elf, {}, {"file of the firmware"});
    v.field(
        "harts", c.harts, {"1", "4"},
        {"harts of a host, which run one program in one memory and take turns in simulated time",
         "docs/cpu.md"});
    v.field(
        "race_check", c.race_check, {},
        {"look for accesses to memory by harts and DMA that no fence, atomic operation, doorbell "
         "or interrupt orders; slows the CPU several times",
         "docs/cpu.md"});
    v.field("clock", c.clock, {"1MHz", "10GHz"}, {"clock of the CPU"});
    v.field("cpi", c.cpi, {"1/8", "64"}, {"cycles of an instruction"});
    v.field("quantum", c.quantum, {"1ns", "1ms"},
            {"how far a CPU may run ahead of the platform", "TLM-2.0 temporal decoupling"});
    v.field("misaligned_done", c.misaligned_done, {},
            {"misaligned loads and stores in RAM work instead of trapping"});
    v.field("keeps_accounts", c.keeps_accounts, {},
            {"the firmware fills in the results of the boot block as sw/app does, and the run "
             "checks them; false: these checks are left out"});
    v.section("rom", {"memory for code and constants beside RAM, as flash is"}, [&] {
      v.field("base", c.rom.base, {"0", "4294963200"},
              {"address of its first byte, a multiple of 4096, e.g. 0x20000000"});
      v.field("size", c.rom.size, {"0B", "1GiB"}, {"its size, a multiple of 4 KiB; 0B: none"});
    });
    v.field("gdb", c.gdb, "off", {"1024", "65535"}, {"loopback port of the debugger"});
  });
  v.field("ram", c.ram, {"64KiB", "1GiB"}, {"memory of a host"});
}

void describe(ParameterVisitor& v, PlatformConfig& c) {
  // plug-ins are loaded before parameters are read
  std::vector<std::string> plugins = loaded_plugins();
  v.names("plugins", plugins, "none",
          {"shared objects with algorithms or a rate unit: files, or names that are searched for"});
  v.field("seed", c.seed, {}, {"seed of all random numbers"});
  v.field("duration", c.duration, {"1us", "1000s"}, {"simulated time"});
  v.section("measure", {"window of the statistics"}, [&] {
    v.field("from", c.measure.from, {}, {"begin of the window"});
    v.field("to", c.measure.to, "end", {}, {"end of the window"});
    v.field(
        "window", c.measure.window, "none", {"1us", "1000s"},
        {"length of the windows over which tenants' shares are also judged (share_error_window)"});
    v.field("settle", c.measure.settle, {"0us", "1000s"},
            {"time after a flow starts or ends in which no such window begins"});
  });
  v.section("topology", {"hosts, switches and links"}, [&] { describe(v, c.topology); });
  v.section("routing", {"choice among paths of equal length"},
            [&] { c.switch_.routing.describe(v); });
  v.section("switch", {"settings of every switch"}, [&] { c.switch_.describe(v); });
  v.list("switches", c.switches, {"ports of switches: differences from `switch`"},
         [&](PortException& one) { one.describe(v); });
  v.section("nic", {"settings of every NIC"}, [&] {
    describe_nic(v, c.nic);
    describe_ports(v, c.topology);
  });
  v.list("nics", c.nics, {"NICs of some hosts: differences from `nic`"}, [&](OtherNics& n) {
    n.begin_like(c.nic);
    v.hosts("hosts", n.hosts, {"hosts with these NICs"});
    v.section("transport", {"transport protocol of these hosts"}, [&] { n.transport.describe(v); });
    v.section("congestion_control",
              {"algorithm of the flows that these hosts send, and its parameters"},
              [&] { n.congestion_control.describe(v, n.cnp); });
    v.section("cnp",
              {"notification packets that receivers send to these hosts; scope, notify, react, "
               "with_nak, delay and accept: of these hosts themselves",
               "DCQCN, SIGCOMM'15"},
              [&] { n.cnp.describe(v); });
    describe_mtu(v, n.mtu);
    describe_ack_every(v, n.ack_every);
    v.section("window", {"limit of what is under way"}, [&] { n.window.describe(v); });
    v.section("message_rate", {"limits of the messages in a second"},
              [&] { n.message_rate.describe(v); });
    v.section("recovery",
              {"retransmission of lost packets; a flow repeats selectively if both its hosts do, "
               "otherwise its sender goes back"},
              [&] { n.recovery.describe(v); });
    v.section("dma", {"link to the host: descriptors, payload, completions"},
              [&] { n.dma.describe(v); });
    v.section("receive_buffer", {"payload between the port and a slower memory"},
              [&] { n.receive_buffer.describe(v); });
  });
  v.section("host", {"settings of every host"}, [&] { describe_host(v, c.host); });
  v.map("hosts", c.hosts, 65'536, c.host, {"single hosts: differences from `host`"},
        [&](HostConfig& host) { describe_host(v, host); });
  v.map("dscp", c.dscp, 64, DscpConfig{}, {"classes; unlisted: weight 1, priority 0"},
        [&](DscpConfig& dscp) { describe_dscp(v, dscp); });
  v.list("tenants", c.tenants, {"tenants that share the network by weight"}, [&](TenantConfig& t) {
    v.text("name", t.name, {"referred to by `dscp`"});
    v.field("weight", t.weight, {"1/8", "128"}, {"share relative to other tenants"});
  });
  v.section("qos", {"closed loop: a manager gives tenants shares by weight"},
            [&] { describe_qos(v, c.qos); });
  v.section("subnet", {"management plane: discovery, path records, admission"},
            [&] { describe_subnet(v, c.subnet); });
  v.list("traffic", c.traffic, {"the traffic"}, [&](TrafficSpec& t) { t.describe(v); });
  v.section("dcbx", {"NICs and switches agree on PFC and ETS, by LLDP", "IEEE 802.1Q, 38"},
            [&] { c.dcbx.describe(v); });
  v.list("faults", c.faults, {"faults that are injected"},
         [&](FaultParameters& f) { f.describe(v); });
  v.list("changes", c.changes, {"changes of parameters during the run, in order of time"},
         [&](ChangeConfig& change) {
           v.field("at", change.at, {},
                   {"time of the change, which acts on everything that happens afterwards"});
           v.settings("set", change.set, {"parameters that may change during a run, by path"});
         });
  v.section("fast_forward", {"skips time while the network is in a steady state"},
            [&] { describe_fast_forward(v, c.fast_forward); });
  v.section("output", {"files that a run leaves"}, [&] { describe_output(v, c.output); });
  v.list("expect", c.expect, {"figures that must lie within bounds, else exit status 1"},
         [&](ExpectConfig& e) { describe_expectation(v, e); });
}

}  // namespace dcc::vp
