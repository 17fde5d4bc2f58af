"""Files in the formats that docs/import.md describes, for the tests of the importers. All were written for these
tests."""

HPCC_TOPOLOGY = """5 2 5
1 3
0 1 50Gbps 2us 0
2 1 50000Mb/s 0.002ms 0.000000
4 3 100Gbps 500ns 0.001
1 3 200Gbps 1000ns 0
0 3 50Gbps 2us 0
0 4 1Gbps 1us 0
First line: what it means
"""
HPCC_FLOWS = """3  \r
0 2 3 100 4000 2.0\r
2 0 3 200 1 2.0000005\r
4\t0 0 100 900 2.1\r
src dst pg dport size start\r
"""
HPCC_CONFIG = """ENABLE_QCN 1
CC_MODE 1 {Mellanox}
PACKET_PAYLOAD_SIZE 1000
SIMULATOR_STOP_TIME 2.5
ALPHA_RESUME_INTERVAL 55
RP_TIMER 1500
EWMA_GAIN 0.0625
RATE_AI 40Mb/s
RATE_AI 20Mb/s
HAS_WIN 1
MY_OWN_KEY 5
KMAX_MAP 2 50000000000 400 100000000000 800
KMIN_MAP 2 50000000000 100 100000000000 200
PMAX_MAP 2 50000000000 0.2 100000000000 0.2
BUFFER_SIZE 16
LINK_DOWN 300 1 3
QLEN_MON_FILE q.txt
"""
HPCC_TRACE = "3\n0 1 99\n"
SIMAI_TOPOLOGY = """7 2 1 1 6 A100
4 5
0 4 2400Gbps 0.000025ms 0
1 4 2400Gbps 0.000025ms 0
0 5 200Gbps 0.0005ms 0
1 5 200Gbps 0.0005ms 0
2 5 200Gbps 0.0005ms 0
3 5 200Gbps 0.0005ms 0
"""
HTSIM_TOPOLOGY = """# three tiers
Nodes 16
Tiers 3
Podsize 8
Tier 0
Downlink_speed_Gbps 100
Radix_Down 4
Radix_Up 2
Downlink_Latency_ns 500
Switch_Latency_ns 200
Tier 1
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 4
Bundle 1
Downlink_Latency_ns 500
Tier 2
Downlink_speed_Gbps 100
Radix_Down 4
Bundle 2
Downlink_Latency_ns 500
"""
HTSIM_MATRIX = """Nodes 16
Connections 6
Triggers 3
Failures 1
0->1 id 1 start 0 size 125000 send_done_trigger 1
1->2 id 2 trigger 1 size 125000 recv_done_trigger 2
3->2 id 3 start 5e6 size 125000 recv_done_trigger 2
2->0 id 4 trigger 2 size 10 prio 7
5->6 start 2.5 size 125000 send_done_trigger 3
6->7 id 9 trigger 3 size 0
trigger id 1 oneshot
trigger id 2 barrier count 2
trigger id 3 multishot
failure switch_type AGG switch_id 2 link_id 0
"""
SONIC = """{
 "PORT": {"Ethernet8": {"speed": "200000"}, "Ethernet16": {"speed": "100000"}, "Ethernet24": {"speed": "100000"}},
 "CABLE_LENGTH": {"AZURE": {"Ethernet8": "300m", "Ethernet16": "5m", "Ethernet24": "5m"}},
 "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "33554432"}},
 "BUFFER_PROFILE": {"lossy": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"}},
 "BUFFER_PG": {"Ethernet8|3-4": {"profile": "NULL"}, "Ethernet16,Ethernet24|3-4": {"profile": "NULL"},
               "Ethernet16|0": {"profile": "[BUFFER_PROFILE|lossy]"}},
 "WRED_PROFILE": {"W": {"ecn": "ecn_all", "green_min_threshold": "200000", "green_max_threshold": "800000",
                        "green_drop_probability": "10"}},
 "SCHEDULER": {"a": {"type": "DWRR", "weight": "30"}, "top": {"type": "STRICT"}},
 "QUEUE": {"Ethernet16|3-4": {"scheduler": "a", "wred_profile": "[WRED_PROFILE|W]"},
           "Ethernet16|6": {"scheduler": "top"}},
 "DSCP_TO_TC_MAP": {"D": {"26": "3", "46": "5", "48": "6"}}, "TC_TO_QUEUE_MAP": {"Q": {"3": "3", "5": "2", "6": "6"}},
 "PORT_QOS_MAP": {"global": {"dscp_to_tc_map": "D"}, "Ethernet16": {"tc_to_queue_map": "Q", "pfc_enable": "3,4"}},
 "VLAN": {"Vlan1": {"vlanid": "1"}}
}
"""
SONIC_LOOKUP = """# speed cable size xon xoff threshold xon_offset
100000 5m 1248 2288 53248 -3 2288
200000 300m 1248 2288 160000 -4 2288
"""
MLX5 = """/sys/class/net/p0/ecn/roce_rp/dce_tcp_g:1019
rp_time_reset = 500
RPG_AI_RATE_P1 10
/sys/kernel/debug/mlx5/0000:03:00.0/cc_params/np_min_time_between_cnps: 0x32
rpg_min_dec_fac: 50
roce_rp/enable/3:1
roce_rp/enable/0:0
roce_adp_retrans_en | 0x00000001
roce_slow_restart_en | 0x00000001
board_id: 7
"""
IRDMA = "options irdma dcqcn_enable=1 dcqcn_cc_cfg_valid=1 dcqcn_F=3 dcqcn_T=0x64 dcqcn_B=200000 dcqcn_rai_factor=2\n"
BNXT = "/sys/kernel/debug/bnxt_re/0000:41:00.0/cc_config/run_avg_weight_g:8\ncc_mode 1\nrtt: 40\n"
CDF_BYTES = "0 0\n1000 25\n3000 100\n"
CDF_PACKETS = "1 1 0.25\n3 1 0.25\n3 1 1\n"
CDF_HOMA = "250\n100   0.5\n400   1.0\n"
CSV = """# flows
start_us;a;b;size_KB;colour
0.5;n7;n2;10;red
0;n2;n9;1e1;blue

2;n9;n7;3;red
"""
PFABRIC = "0 1.0 -1 -1 2 -1 -1 0 3\n1 1.5e0 -1 -1 1 -1 -1 2 1\n"
GRAPHML = """<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
 <key id="a" for="node" attr.name="label" attr.type="string"/>
 <key id="b" for="node" attr.name="Longitude" attr.type="double"/>
 <key id="c" for="node" attr.name="Latitude" attr.type="double"/>
 <key id="d" for="node" attr.name="Internal" attr.type="int"/>
 <key id="e" for="edge" attr.name="LinkLabel" attr.type="string"/>
 <key id="f" for="edge" attr.name="LinkSpeedRaw" attr.type="double"/>
 <graph edgedefault="undirected">
  <node id="0"><data key="a">North Town</data><data key="b">10.0</data><data key="c">51.0</data></node>
  <node id="1"><data key="a">South</data><data key="b">10.0</data><data key="c">50.0</data></node>
  <node id="2"><data key="a">South</data><data key="d">0</data></node>
  <node id="3"><data key="a">alone</data></node>
  <edge source="0" target="1"><data key="f">1.0E10</data></edge>
  <edge source="0" target="1"><data key="e">&lt;155 Mbps</data></edge>
  <edge source="1" target="2"><data key="e">OC-48</data></edge>
 </graph>
</graphml>
"""
SNDLIB = """?SNDlib native format; type: network; version: 1.0
# own
META ( unit = GBITPERSEC )
NODES (
  A.1 ( 5.00 50.00 )
  B ( 5.00 51.00 )
  C ( 6.00 51.00 )
)
LINKS (
  L1 ( A.1 B ) 10.00 0.00 0.00 0.00 ( )
  L2 ( B C ) 0.00 0.00 0.00 0.00 ( 40.00 1.00 2.50 3.00 )
)
DEMANDS (
  D1 ( A.1 C ) 1 0.50 UNLIMITED
)
ADMISSIBLE_PATHS ( D1 ( P0 ( L1 L2 ) ) )
"""
SNDLIB_XML = """<?xml version="1.0"?>
<network xmlns="http://sndlib.zib.de/network" version="1.0"><networkStructure>
<nodes coordinatesType="pixel"><node id="X"><coordinates><x>500</x><y>10</y></coordinates></node>
<node id="Y"><coordinates><x>1</x><y>2</y></coordinates></node></nodes>
<links><link id="L"><source>X</source><target>Y</target><preInstalledModule><capacity>2500</capacity><cost>0</cost>
</preInstalledModule></link></links></networkStructure>
<demands><demand id="D"><source>X</source><target>Y</target><demandValue>3</demandValue></demand></demands></network>
"""
GOAL = """num_ranks 3
/* two
   lines */
rank 0 {
first: calc 2000
out: send 125000b to 1 tag 4
out requires first
also: calc 300 cpu 1
also irequires out
}
rank 1 {
in: recv 125000 b from -1 tag -1
on: send 10b to 2
on requires in
}
rank 2 {
in: recv 10b from 1 tag 0 nic 1
}
"""
CHAKRA_0 = """{"workload_graph": [
 {"Id": 5, "Name": "c", "NodeType": 4, "is_cpu_op": false, "runtime": 10, "data_deps": []},
 {"Id": 3, "Name": "r", "NodeType": 7, "data_deps": [5], "comm_type": 0, "comm_size": 100000},
 {"Id": 4, "Name": "s", "NodeType": 5, "data_deps": [3], "comm_size": 77, "comm_src": 0, "comm_dst": 1, "comm_tag": 1}]}
"""
CHAKRA_1 = """{"version": "1"}
{"name": "r", "type": "COMM_COLL_NODE", "attr": [{"name": "comm_type", "int64Val": "0"},
 {"name": "comm_size", "int64Val": "100000"}]}
{"id": "1", "name": "h", "type": "COMM_RECV_NODE", "dataDeps": ["0"], "attr": [{"name": "comm_src", "int32Val": 0},
 {"name": "comm_dst", "int32Val": 1}, {"name": "comm_tag", "int32Val": 1}, {"name": "comm_size", "int64Val": "77"}]}
"""
ASTRA_NETWORK = """topology: [ Switch, FullyConnected ]
npus_count: [ 2, 3 ]
bandwidth: [ 10, 5.0 ]
latency: [ 100, 2e2 ]
"""
ASTRA_WORKLOAD = """HYBRID_TRANSFORMER model_parallel_NPU_group: 2
2
embed -1 1000 NONE 0 1000 NONE 0 500 ALLREDUCE 60000 10
block -1 2000 ALLREDUCE 4000 2000 ALLREDUCE 4000 500 REDUCESCATTER 60000 10
"""


def varint(value):
    """Encodes a whole number as a protobuf varint."""
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    """Encodes a protobuf field: a number, or bytes preceded by their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def message(*fields):
    body = b"".join(fields)
    return varint(len(body)) + body


def chakra_node(ident, kind, waits=b"", micros=0, **attributes):
    """Encodes a node of a Chakra trace with whole numbers as attributes."""
    return message(field(1, ident), field(2, b"n"), field(3, kind), field(5, waits), field(7, micros),
                   *(field(10, field(1, name.encode()) + field(9, value)) for name, value in attributes.items()))


# The trace CHAKRA_0 in binary form.
CHAKRA_ET = (message(field(1, b"0.0.4")) + chakra_node(5, 4, micros=10) +
             chakra_node(300, 7, waits=b"\x05", comm_type=0, comm_size=100000) +
             chakra_node(4, 5, waits=b"\xac\x02", comm_size=77, comm_src=0, comm_dst=1, comm_tag=1))

DTS = """/dts-v1/;
/ {
  #address-cells = <2>;
  #size-cells = <2>;
  compatible = "vendor,board";
  cpus {
    #address-cells = <1>;
    #size-cells = <0>;
    timebase-frequency = <10000000>;
    cpu@0 {
      device_type = "cpu"; reg = <0>; compatible = "vendor,core", "riscv"; riscv,isa = "rv32imafc_zicsr";
      clock-frequency = <600000000>;
      inner: interrupt-controller { #interrupt-cells = <1>; interrupt-controller; compatible = "riscv,cpu-intc"; };
    };
    cpu@1 { device_type = "cpu"; reg = <1>; compatible = "riscv"; riscv,isa = "rv32imac"; status = "disabled"; };
  };
  memory@80000000 { device_type = "memory"; reg = <0x0 0x80000000 0x0 0x1000800>; };
  sram: memory@8000000 { compatible = "mmio-sram"; reg = <0x0 0x8000000 0x0 0x4000>; };
  soc {
    #address-cells = <1>;
    #size-cells = <1>;
    compatible = "simple-bus";
    ranges = <0x0 0x0 0x0 0x8000000>, <0x8000000 0x0 0xc000000 0x8000000>, <0x90000000 0x0 0x20000000 0x10000000>;
    plic: interrupt-controller@8000000 {
      compatible = "sifive,plic-1.0.0"; reg = <0x8000000 0x4000000>; #interrupt-cells = <1>; #address-cells = <0>;
      interrupt-controller; interrupts-extended = <&inner 11>; riscv,ndev = <31>;
    };
    timer@2000000 {
      compatible = "sifive,clint0"; reg = <0x2000000 0x10000>; interrupts-extended = <&inner 3 &inner 7>;
    };
    serial@c000000 { compatible = "ns16550a"; reg = <0xc000000 0x100>; interrupts = <10>; interrupt-parent = <&plic>; };
    serial@c001000 { compatible = "ns16550a"; reg = <0xc001000 0x100>; interrupts = <11>; interrupt-parent = <&plic>; };
    spi@1000000 {
      compatible = "vendor,spi"; reg = <0x1000000 0x1000>; #address-cells = <1>; #size-cells = <0>;
      chip@0 { compatible = "vendor,chip"; reg = <0>; };
    };
    flash@90000000 { compatible = "cfi-flash"; reg = <0x90000000 0x400000>; bank-width = <4>; };
    rom@1000 { compatible = "mtd-rom"; reg = <0x1000 0x2000>; };
  };
};
"""
REPL = """// A board, and what its description may hold.
using "parts/common.repl" prefixed "board_"

ddr: Memory.MappedMemory @ {
    sysbus 0x80000000;  /* and its
                           mirror */
    sysbus 0x0
}
    size: 0x1000000

bootFlash: Antmicro.Renode.Peripherals.Memory.MappedMemory @ sysbus <0x20000000, 0x20400000>
    size: 0x400000

cpu0: CPU.RiscV32 @ sysbus
    cpuType: "rv32imac_zicsr_zifencei"
    hartId: 0
    timeProvider: clint
    PerformanceInMips: 600

cpu1: CPU.RiscV32 @ sysbus
    cpuType: "rv32gc"
    hartId: 1
    timeProvider: clint

clint: IRQControllers.CoreLevelInterruptor @ sysbus 0x02000000
    frequency: 10000000
    [0, 1] -> cpu0@[3, 7]
    [2, 3] -> cpu1@[3, 7]

plic: IRQControllers.PlatformLevelInterruptController @ sysbus 0xC000000
    0 -> cpu0@11
    [1-2] -> cpu1@[9-10] | cpu0@9
    numberOfSources: 31

uart0: UART.NS16550 @ sysbus <0x10000000, +0x100>
    IRQ -> plic@12

uart1: UART.NS16550 @ sysbus 0x10001000
    -> plic@11

i2c: I2C.OpenCoresI2C@ {
        sysbus new Bus.BusMultiRegistration { address: 0x10030000; size: 0x100; region: "all" };
        sysbus 0x10040000
    }
    script: '''
if a < b: {
'''
sensor: Sensors.TMP103 @ i2c 0x40

uart0:
    wideRegisters: true

sysbus:
    init:
        Tag <0x50000000 0x1000> "CLOCKS" 0x0
        ApplySVD @board.svd
"""
