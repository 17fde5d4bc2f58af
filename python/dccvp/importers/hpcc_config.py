"""Reads config.txt of the HPCC authors' simulator and its relatives: KEY VALUE pairs, each used or reported as
unused."""

import fractions
import math
import re
import typing

from dccvp.importers import ns3_quantities
from dccvp.importers.network import decimal, rate_text, size_text, time_text
from dccvp.importers.source import Source, Words, base_name

US = 10**6
MOST_PACKETS_FOR_AN_ACK = 256
FILES = {"TOPOLOGY_FILE", "FLOW_FILE", "TRACE_FILE"}
MAPS = {"KMIN_MAP", "KMAX_MAP", "PMAX_MAP"}
# Keys of HPCC's configuration without a counterpart here, and their meaning.
UNUSED = {
    "PAUSE_TIME": "pauses here last until a frame ends them", "DATA_RATE": "", "LINK_DELAY": "",
    "L2_CHUNK_SIZE": "the unit of going back to a chunk's start", "L2_WAIT_FOR_ACK": "", "TCP_FLOW_FILE": "",
    "TRACE_OUTPUT_FILE": "an output", "FCT_OUTPUT_FILE": "an output; dccvp export fct writes one",
    "PFC_OUTPUT_FILE": "an output", "QLEN_MON_FILE": "an output", "FAST_REACT": "", "INT_MULTI": "", "MULTI_RATE": "",
    "SAMPLE_FEEDBACK": "", "PINT_LOG_BASE": "", "PINT_PROB": "", "RATE_BOUND": "NICs always pace", "ENABLE_TRACE": "",
    "QLEN_MON_START": "", "QLEN_MON_END": "", "NIC_TOTAL_PAUSE_TIME": "", "MON_START": "", "MON_END": "",
    "QP_MON_INTERVAL": "", "QLEN_MON_INTERVAL": "", "BW_MON_INTERVAL": "", "BW_MON_FILE": "", "RATE_MON_FILE": "",
    "CNP_MON_FILE": "", "SEND_IN_CHUNKS": "", "APP_START_TIME": "", "APP_STOP_TIME": "", "NP_SAMPLING_INTERVAL": "",
    "CLAMP_TARGET_RATE_AFTER_TIMER": "", "GLOBAL_T": "windows and base RTTs are the platform's"}
USED = {"ENABLE_QCN", "USE_DYNAMIC_PFC_THRESHOLD", "PACKET_PAYLOAD_SIZE", "SIMULATOR_STOP_TIME", "CC_MODE",
        "ALPHA_RESUME_INTERVAL", "RATE_DECREASE_INTERVAL", "CLAMP_TARGET_RATE", "RP_TIMER", "EWMA_GAIN",
        "FAST_RECOVERY_TIMES", "RATE_AI", "RATE_HAI", "MIN_RATE", "DCTCP_RATE_AI", "ERROR_RATE_PER_LINK", "HAS_WIN",
        "U_TARGET", "MI_THRESH", "ACK_HIGH_PRIO", "LINK_DOWN", "BUFFER_SIZE", "L2_ACK_INTERVAL", "L2_BACK_TO_ZERO",
        "CNP_INTERVAL", "BYTE_COUNTER", "DCTCP_GAIN", "KMIN", "KMAX", "PMAX", "PACKET_LEVEL_ECMP", "FLOW_LEVEL_ECMP",
        "VAR_WIN"}
KEYS = USED | FILES | MAPS | set(UNUSED)
MODES = {1: "dcqcn", 3: "hpcc", 7: "timely", 8: "dctcp", 10: "hpcc"}


class Config:
    """The pairs of a config.txt. `values`: {key: its Words; a repeated key keeps the last value}; `used`: {key: how
    the import used the key}."""

    def __init__(self, source, notes):
        self.source, self.notes = source, notes
        self.name = base_name(source.name)
        self.values: dict[str, list] = {}
        self.used: dict[str, str] = {}
        unknown, again = [], []
        words = Words(source)
        while words.peek() is not None:
            word = words.next("a key")
            if word.text not in KEYS:
                begins_line = not source.text[source.text.rfind("\n", 0, word.at) + 1:word.at].strip()
                if re.fullmatch(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+" + ("|[A-Z][A-Z0-9]{2,}" if begins_line else ""),
                                word.text):
                    unknown.append(word.text)
                continue
            if word.text in self.values:
                again.append(word.text)
            self.values[word.text] = self._value(words, word)
        if not self.values:
            source.fail(0, "no key of a config.txt, such as CC_MODE, is in the file")
        if unknown:
            notes.ignored.append(f"{self.name}: words that are no key: {', '.join(sorted(set(unknown)))}")
        if again:
            notes.assumed.append(f"{self.name}: the last one holds of {', '.join(sorted(set(again)))}")

    def _value(self, words, key):
        if key.text in MAPS:
            count = words.next(f"the number of rates of {key.text}")
            number = self.source.integer(count, f"the number of rates of {key.text}", 0, 1000)
            return [words.next(f"value {i + 1} of {2 * number} of {key.text}") for i in range(2 * number)]
        return [words.next(f"a value of {key.text}") for _ in range(3 if key.text == "LINK_DOWN" else 1)]

    def has(self, key):
        return key in self.values

    def use(self, key, became):
        if key in self.values:
            self.used[key] = became

    def text(self, key):
        return self.values[key][0].text

    def fail(self, key, message) -> typing.NoReturn:
        assert isinstance(self.source, Source)
        self.source.fail(self.values[key][0], message)

    def number(self, key, default, least=0, most=10**15, became=""):
        """Returns the value of a key as an exact fractions.Fraction, or `default` if the key is missing. InputError if
        the value is no number from `least` to `most`. `became`: how the import uses the key."""
        if became:
            self.use(key, became)
        if key not in self.values:
            return default
        return self.source.number(self.values[key][0], key, least, most)

    def whole(self, key, default, least, most, became=""):
        value = self.number(key, default, least, most, became)
        if fractions.Fraction(value).denominator != 1:
            self.fail(key, f"{key} is a whole number, not {self.text(key)}")
        return int(value)

    def flag(self, key, default, became=""):
        return bool(self.number(key, default, 0, 1, became))

    def time(self, key, least=0, most=10**10, unit=US):
        """Returns the value of a key, in `unit`s, converted to ps and limited to the platform's range; None if the
        key is missing."""
        if key not in self.values:
            return None
        value = round(self.number(key, 0) * unit)
        if not least <= value <= most:
            self.fail(key, f"{key} {self.text(key)} is {time_text(value)}; the platform takes {time_text(least)} to "
                      f"{time_text(most)}")
        return value

    def rate(self, key, default=None, least=0, became=""):
        if became:
            self.use(key, became)
        return default if key not in self.values else ns3_quantities.rate(self.source, self.values[key][0], key, least)

    def rows(self):
        """Returns rows (key, value, how the import used the key) for the page of the import."""
        for key, words in self.values.items():
            value = " ".join(word.text for word in words)
            if key in self.used:
                yield key, value, self.used[key]
            else:
                reason = UNUSED.get(key, "")
                yield key, value, "not used" + (": " + reason if reason else "")


def settings(config, nic_rate, port_rates, priorities):
    """Returns the sections of the YAML file that follow from the pairs. `port_rates`: {rate of a switch's port:
    number of ports}; `priorities`: priorities of the flows."""
    algorithm, marks = _algorithm(config)
    switch = {"buffer": "16MiB", "ecn": _marking(config, port_rates, nic_rate, marks),
              "pfc": {"alpha": 0.125, "reference_rate": rate_text(nic_rate), "resume_below": "3KiB"}}
    buffer = config.number("BUFFER_SIZE", 16, fractions.Fraction(1, 64), 65536, "switch.buffer")
    switch["buffer"] = size_text(round(buffer * 2**20))
    if not config.flag("USE_DYNAMIC_PFC_THRESHOLD", 1, "switch.pfc.alpha"):
        config.notes.not_expressed.append(f"{config.name}: fixed PFC thresholds; they follow the free buffer")
    nic: dict[str, typing.Any] = {"mtu": size_text(config.whole("PACKET_PAYLOAD_SIZE", 1000, 64, 9000, "nic.mtu")),
                                  "congestion_control": algorithm, "recovery": {"timeout": "20ms"}}
    config.notes.assumed.append("the original has no retransmission timer: 20 ms, which no queue lasts")
    cnp = {"priority": min(priorities) if priorities else 3}
    interval = config.time("CNP_INTERVAL", 0, 10**12)
    if interval is not None:
        cnp["interval"] = time_text(interval)
        config.use("CNP_INTERVAL", "nic.cnp.interval")
    if config.flag("ACK_HIGH_PRIO", 0, "nic.ack_priority, nic.cnp.priority"):
        nic["ack_priority"] = cnp["priority"] = 0
    nic["cnp"] = cnp
    _recovery(config, nic)
    found = {"switch": switch, "nic": nic}
    if config.has("PACKET_LEVEL_ECMP") and config.flag("PACKET_LEVEL_ECMP", 0):
        found["routing"] = {"kind": "rps"}
        config.use("PACKET_LEVEL_ECMP", "routing.kind: rps")
    config.use("FLOW_LEVEL_ECMP", "routing.kind")
    return found


def _recovery(config, nic):
    """Adds the window and the number of packets for an ACK to the section nic."""
    if config.flag("L2_BACK_TO_ZERO", 0):
        config.notes.not_expressed.append(f"{config.name}: going back to the start of a chunk; a loss goes back to "
                                          "the lost packet")
    else:
        config.use("L2_BACK_TO_ZERO", "nic.recovery.kind: go_back_n")
    windows = not config.has("HAS_WIN") or config.flag("HAS_WIN", 1)
    follows = config.flag("VAR_WIN", 0)
    if not windows:
        config.use("HAS_WIN", "no window")
        config.use("VAR_WIN", "without effect: no window")
    elif config.number("CC_MODE", 1) in (3, 10):
        config.use("HAS_WIN", "the window of hpcc")
        config.use("VAR_WIN", "the window of hpcc")
    else:
        nic["window"] = {"limit": "bdp"}
        if follows:
            nic["window"]["follows_rate"] = True
        config.use("HAS_WIN", "nic.window.limit: bdp")
        config.use("VAR_WIN", "nic.window.follows_rate")
        config.notes.assumed.append("the window is the bandwidth-delay product of the flow's own way (GLOBAL_T 0)")
    acks = config.number("L2_ACK_INTERVAL", 1, 0, 2**32, "nic.ack: per_packet")
    packets = min(math.ceil(acks / config.number("PACKET_PAYLOAD_SIZE", 1000)), MOST_PACKETS_FOR_AN_ACK)
    if packets > 1 and windows:
        config.notes.not_expressed.append(f"{config.name}: an ACK for each {decimal(acks)} bytes; with a window each "
                                          "packet has one")
    elif packets > 1:
        nic["ack_every"] = packets
        config.use("L2_ACK_INTERVAL", "nic.ack_every")


def _algorithm(config):
    """Reads the algorithm; returns (nic.congestion_control, true if marks have an effect)."""
    mode = config.whole("CC_MODE", 1, 0, 1000)
    config.use("CC_MODE", "nic.congestion_control.algorithm: " + MODES.get(mode, "none"))
    if mode not in MODES:
        config.notes.assumed.append(f"{config.name}: CC_MODE {mode} has no handler: line rate")
        return {"algorithm": "none"}, False
    if mode == 10:
        config.notes.not_expressed.append("HPCC-PINT: hpcc with full telemetry instead")
    found: dict[str, typing.Any] = {"algorithm": MODES[mode]}
    if mode == 1:
        _dcqcn(config, found)
    found["r_min"] = rate_text(config.rate("MIN_RATE", 10**8, 10**6, "r_min"))
    if mode in (3, 10):
        target = config.number("U_TARGET", fractions.Fraction("0.95"), fractions.Fraction(1, 2), 1, "eta")
        found["eta"] = decimal(target)
        found["max_stage"] = config.whole("MI_THRESH", 5, 0, 255, "max_stage")
        found["w_ai_rate"] = rate_text(config.rate("RATE_AI", 5 * 10**7, 10**6, "w_ai_rate"))
    elif mode == 7:
        found.update({"update": "round_trip", "bursts": False, "hai_below_low": True, "app_limit": 0,
                      "timestamp": "wire", "ewma": "7/8", "max_decrease": 1, "resolution": "0ns"})
        found["additive_step"] = rate_text(config.rate("RATE_AI", 5 * 10**7, 10**6, "additive_step"))
    elif mode == 8:
        gain = config.number("EWMA_GAIN", fractions.Fraction(1, 16), fractions.Fraction(1, 65536), 1, "g")
        found.update({"form": "rate", "g": decimal(gain),
                      "r_ai": rate_text(config.rate("DCTCP_RATE_AI", 10**9, 10**6, "r_ai"))})
    return found, mode in (1, 8)


def _dcqcn(config, found):
    found.update({"variant": "slotted", "preset": "reference"})
    for key, name, least, most in (("ALPHA_RESUME_INTERVAL", "alpha_timer", US, 10**10),
                                   ("RATE_DECREASE_INTERVAL", "decrease_period", 1, 10**10),
                                   ("RP_TIMER", "increase_timer", US, 6 * 10**10)):
        value = config.time(key, least, most)
        if value is not None:
            found[name] = time_text(value)
            config.use(key, name)
    gain = config.number("DCTCP_GAIN" if config.has("DCTCP_GAIN") else "EWMA_GAIN", fractions.Fraction(1, 16),
                         0, 1)
    if gain == 0:
        gain = fractions.Fraction(1, 65536)
        config.notes.assumed.append("EWMA_GAIN 0: the platform's least, 1/65536")
    found["g"] = f"1/{gain.denominator}" if gain.numerator == 1 and gain.denominator <= 65536 else decimal(gain)
    config.use("EWMA_GAIN", "g")
    config.use("DCTCP_GAIN", "g")
    found["f"] = config.whole("FAST_RECOVERY_TIMES", 5, 0, 255, "f")
    for key, name in (("RATE_AI", "r_ai"), ("RATE_HAI", "r_hai")):
        if config.has(key):
            found[name] = rate_text(config.rate(key, became=name))
    if config.has("BYTE_COUNTER"):
        found["byte_counter"] = size_text(config.whole("BYTE_COUNTER", 0, 0, 10**9, "byte_counter"))
    if config.has("CLAMP_TARGET_RATE"):
        found["clamp_target"] = "always" if config.flag("CLAMP_TARGET_RATE", 0, "clamp_target") else "after_timer"


def _map(config, key, scale):
    """Returns {rate: value} of a KMIN_MAP, KMAX_MAP or PMAX_MAP."""
    words = config.values.get(key, [])
    found = {}
    for rate, value in zip(words[::2], words[1::2]):
        bits = config.source.integer(rate, "a rate in bit/s", 1, 10**13)
        found[bits] = config.source.number(value, f"a value of {key}", 0, 1 if scale == 1 else 2 * 10**6) * scale
    return found


def _marking(config, port_rates, nic_rate, marks):
    """Returns the section switch.ecn."""
    if not config.flag("ENABLE_QCN", 1) or not marks:
        config.use("ENABLE_QCN", "switch.ecn.enabled: false")
        for key in (*MAPS, "KMIN", "KMAX", "PMAX"):
            config.use(key, "without effect: the algorithm reads no marks")
        return {"enabled": False}
    config.use("ENABLE_QCN", "switch.ecn.enabled")
    if config.has("KMIN") or config.has("KMAX"):
        for key in ("KMIN", "KMAX", "PMAX"):
            config.use(key, "switch.ecn." + key.lower())
        return _thresholds(config, config.number("KMIN", 60) * 1000, config.number("KMAX", 60) * 1000,
                           config.number("PMAX", 1, 0, 1))
    maps = [_map(config, "KMIN_MAP", 1000), _map(config, "KMAX_MAP", 1000), _map(config, "PMAX_MAP", 1)]
    for key in MAPS:
        config.use(key, "switch.ecn")
    listed = [rate for rate in maps[0] if rate in maps[1]]
    if not listed:
        config.notes.assumed.append("no thresholds for marking: the platform's own")
        return {"mark_at": "dequeue"}
    missing = [rate for rate in port_rates if rate not in listed]
    if missing:
        config.notes.assumed.append(f"{config.name} has no thresholds for ports of "
                                    f"{', '.join(map(rate_text, sorted(missing)))}: in proportion to the rate")
    rows = {rate: (maps[0][rate], maps[1][rate], maps[2].get(rate, 1)) for rate in sorted(listed)}
    used = [rate for rate in rows if rate in port_rates] or list(rows)
    first = used[0]
    if all(rows[rate] == (rows[first][0] * rate / first, rows[first][1] * rate / first, rows[first][2])
           for rate in used):
        return {**_thresholds(config, *rows[first]), "reference_rate": rate_text(first)}
    # Ports whose rate the maps do not list get the thresholds of the most frequent rate.
    chosen = max(used, key=lambda rate: (port_rates.get(rate, 0), rate == nic_rate))
    found = _thresholds(config, *rows[chosen])
    found["by_speed"] = {rate_text(rate): _by_speed(config, *rows[rate]) for rate in used if rate != chosen}
    for rate in sorted(missing):
        low, high, most = rows[chosen]
        found["by_speed"][rate_text(rate)] = _by_speed(config, low * rate / chosen, high * rate / chosen, most)
    return found


def _by_speed(config, kmin, kmax, pmax):
    found = _thresholds(config, kmin, kmax, pmax)
    del found["mark_at"]
    return found


def _thresholds(config, kmin, kmax, pmax):
    if kmin > kmax:
        config.fail("KMIN_MAP" if config.has("KMIN_MAP") else "KMIN", f"the lower threshold, {decimal(kmin)} B, is "
                    f"above the upper one, {decimal(kmax)} B")
    return {"kmin": size_text(round(kmin)), "kmax": size_text(round(kmax)), "pmax": decimal(pmax),
            "mark_at": "dequeue"}
