"""Runs that several threads or processes can share. Each run sends another kind of packets across the partition
boundary."""

# Kind of traffic that crosses the boundary between two partitions -> its configuration and overrides.
RUNS: dict[str, tuple[str, list[str]]] = {
    "telemetry": ("reproduce/fbhadoop_hpcc.yaml", ["duration=150us"]),
    "marks and CNPs": ("reproduce/fbhadoop_dcqcn.yaml", ["duration=150us"]),
    "windows": ("reproduce/fbhadoop_dctcp.yaml", ["duration=150us"]),
    "bursts and completions": ("reproduce/fbhadoop_timely.yaml", ["duration=150us"]),
    "the controller": ("reproduce/fbhadoop_dcqcn.yaml",
                       ["duration=150us", "nic.congestion_control={algorithm: dcc}"]),
    "no acknowledgements": ("reproduce/fbhadoop_dcqcn.yaml",
                            ["duration=150us", "nic.ack=none", "nic.recovery.kind=none"]),
    "drops and repeats": ("reproduce/fbhadoop_dcqcn.yaml",
                          ["duration=300us", "switch.pfc.enabled=false", "switch.buffer=200KiB",
                           "nic.recovery.timeout=50us"]),
    "pauses": ("reproduce/victim_flow.yaml", ["duration=1ms", "measure={from: 0s, to: 1ms}"]),
    "pauses in a circle": ("pfc_deadlock.yaml", []),
    "two switches": ("reproduce/ib_parking_lot.yaml",
                     ["duration=2ms", "measure={from: 1ms, to: 2ms}"]),
    "all pods": ("reproduce/fbhadoop_hpcc.yaml",
                 ["duration=50us", "traffic=[{kind: permutation, hosts: 0..319, bytes: 1MB}]"]),
    "groups": ("reproduce/fbhadoop_hpcc.yaml",
               ["duration=120us", "topology={kind: dragonfly}",
                "traffic=[{kind: permutation, hosts: 0..71, bytes: 100KB}]"]),
    "headers, NACKs and PULLs": ("schemes/ndp.yaml", []),
    "ports by what is left": ("schemes/pfabric.yaml", ["traffic.0.flows_per_host=3"]),
    "grants": ("schemes/homa.yaml", ["traffic.0.flows_per_host=3"]),
    "credits": ("schemes/expresspass.yaml", []),
    "tokens": ("schemes/phost.yaml", ["traffic.0.flows_per_host=3"]),
    "rates that are asked for": ("schemes/d3.yaml", ["duration=5ms", "expect=[]"]),
    "flows that pause each other": ("schemes/pdq.yaml", ["duration=5ms", "expect=[]"]),
    "prices": ("schemes/fcp.yaml", ["duration=5ms", "measure={from: 1ms, to: 5ms}", "expect=[]"]),
    "timeslots": ("schemes/fastpass.yaml", ["traffic.1.bytes=200KB"]),
    "turns by the clock": (
        "schemes/fastpass.yaml",
        ["traffic.1.bytes=200KB", "routing.kind=ecmp", "expect=[]", "nic.transport.kind=tdma"]),
    "timeslots, and a link that fails": (
        "schemes/fastpass.yaml",
        ["duration=5ms", "expect=[]",
         "faults=[{kind: link_failure, link: leaf0->spine0, start: 1ms, stop: 3ms}]"]),
    "segments, and ports that overflow": (
        "schemes/tcp.yaml", ["traffic.0.flows_per_host=3", "switch.discipline.limit=30KB"]),
    "headers in the place of segments": (
        "schemes/tcp.yaml", ["traffic.0.flows_per_host=3", "switch.discipline.cut_above=20KB"]),
    "ways by queues, and pauses": (
        "schemes/detail.yaml", ["traffic.0.flows_per_host=3", "traffic.1.flows_per_host=1", "expect=[]"]),
    "requests and answers": ("search_tree.yaml", ["duration=4ms", "traffic.1.flows_per_host=3"]),
    "ranks that wait for each other": (
        "collectives.yaml", ["duration=3ms", "traffic.0.rounds=1", "traffic.0.bytes=2MB",
                             "traffic.1.flows_per_host=3", "expect=[]"]),
    "ranks that compute and wait for each other by name": (
        "dependencies.yaml", ["traffic.2.bytes=800KB", "traffic.3.bytes=800KB", "traffic.4.bytes=400KB", "expect=[]"]),
    "bits of what came, marks and ways": ("schemes/uec.yaml", []),
    "credit in bytes": ("schemes/uec.yaml", ["nic.transport.congestion_control=rccc", "routing={kind: rps}"]),
    "rings": ("reproduce/fbhadoop_hpcc.yaml",
              ["duration=120us", "topology={kind: torus, dimensions: [5, 4, 3]}",
               "traffic=[{kind: permutation, hosts: 0..59, bytes: 100KB}]"]),
    "losses": ("reproduce/fbhadoop_dcqcn.yaml",
               ["duration=150us", "nic.recovery.timeout=50us",
                "faults=[{kind: loss, link: all, probability: 0.001}, {kind: cnp_loss, flow: 3},"
                " {kind: link_down, link: rack0->agg1, start: 50us, stop: 80us}]"]),
    "links that fail, flap and slow down": (
        "reproduce/fbhadoop_dcqcn.yaml",
        ["duration=300us", "nic.recovery.timeout=50us",
         "traffic=[{kind: permutation, hosts: 0..319, bytes: 200KB}]",
         "faults=[{kind: link_failure, link: agg0, start: 40us, stop: 150us, convergence: 20us},"
         " {kind: link_flap, link: rack7--agg6, start: 30us, down: 10us, up: 20us, convergence: 5us},"
         " {kind: link_slow, link: core3, rate: 10Gbps, start: 60us, convergence: 30us}]"]),
    "ways that ACKs bring back": ("reproduce/fbhadoop_dcqcn.yaml", ["duration=120us", "routing.kind=reps"]),
    "ways that ACKs tell of": ("reproduce/fbhadoop_dcqcn.yaml",
                               ["duration=120us", "routing={kind: hermes, rtt_high: 20us, sent: 10KB}"]),
    "more parts than threads": (
        "reproduce/fbhadoop_dcqcn.yaml",
        ["duration=35us", "topology={kind: fat_tree, k: 16, fabric_link: {rate: 100Gbps}}",
         "traffic=[{kind: stride, stride: 300, stop: 20us},"
         " {kind: permutation, start: 20us, stagger: 10ns, bytes: 50KB}]"]),
    "queues set aside": (
        "reproduce/fbhadoop_dcqcn.yaml",
        ["duration=120us", "switch.pfc.enabled=false",
         "switch.discipline={kind: set_aside, detect: 6KB, stop: 6KB, go: 3KB}"]),
    "ties": ("reproduce/fbhadoop_dcqcn.yaml", ["duration=120us", "switch.ties=seeded"]),
}
