"""Runs that several threads or processes can share, each bringing something else to the boundary."""

# Configuration, overrides, what it brings to the boundary between two partitions.
RUNS = {
    "telemetry": ("reproduce/fbhadoop_hpcc.yaml", ["duration=300us"]),
    "marks and CNPs": ("reproduce/fbhadoop_dcqcn.yaml", ["duration=300us"]),
    "windows": ("reproduce/fbhadoop_dctcp.yaml", ["duration=300us"]),
    "bursts and completions": ("reproduce/fbhadoop_timely.yaml", ["duration=300us"]),
    "the controller": ("reproduce/fbhadoop_dcqcn.yaml",
                       ["duration=300us", "nic.congestion_control={algorithm: dcc}"]),
    "no acknowledgements": ("reproduce/fbhadoop_dcqcn.yaml",
                            ["duration=300us", "nic.ack=none", "nic.recovery.kind=none"]),
    "drops and repeats": ("reproduce/fbhadoop_dcqcn.yaml",
                          ["duration=600us", "switch.pfc.enabled=false", "switch.buffer=200KiB",
                           "nic.recovery.timeout=50us"]),
    "pauses": ("reproduce/victim_flow.yaml", ["duration=1ms", "measure={from: 0s, to: 1ms}"]),
    "pauses in a circle": ("pfc_deadlock.yaml", []),
    "two switches": ("reproduce/ib_parking_lot.yaml",
                     ["duration=2ms", "measure={from: 1ms, to: 2ms}"]),
    "all pods": ("reproduce/fbhadoop_hpcc.yaml",
                 ["duration=200us", "traffic=[{kind: permutation, hosts: 0..319, bytes: 1MB}]"]),
    "groups": ("reproduce/fbhadoop_hpcc.yaml",
               ["duration=200us", "topology={kind: dragonfly}",
                "traffic=[{kind: permutation, hosts: 0..71, bytes: 100KB}]"]),
    "rings": ("reproduce/fbhadoop_hpcc.yaml",
              ["duration=200us", "topology={kind: torus, dimensions: [5, 4, 3]}",
               "traffic=[{kind: permutation, hosts: 0..59, bytes: 100KB}]"]),
}
