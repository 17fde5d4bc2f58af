"""Python interface of the golden model; needs only the standard library.

    from dcc_golden import Golden
    model = Golden("build/libdcc_golden.so", slots=1024, latency=64)
    model.write(cycle, address, data)
    model.cnp(cycle, flow=3, dscp=10, marks=1)
    for answer in model.answers(cycle): ...

dcc_golden.h defines a cycle. A cocotb bench calls answers(), then the inputs, then the access of each cycle, at
the rising edge that ends the cycle. Calls raise ValueError for an argument out of range and for a cycle in the past.
"""
import ctypes
from typing import Iterator, NamedTuple, Optional, Tuple, TypeVar

_U32 = ctypes.c_uint32
_U64 = ctypes.c_uint64
_M = TypeVar("_M", bound="_Model")


class Answer(NamedTuple):
    """An answer at the rate port, as the block shows it in a cycle with rate_valid_o. `rate`: 24.8 fixed point;
    None for a flow without a slot."""

    cycle: int
    flow: int
    rate: Optional[int]
    query: bool


class PacerOutputs(NamedTuple):
    """Output pins of the pacer during a cycle. `sent`: flow and bytes of a decision; None without a decision."""

    sent: Optional[Tuple[int, int]]
    post_ready: bool
    rate_ready: bool
    post_refused: bool
    strict: bool


class BusError(Exception):
    """Raised when the block answers an access with PSLVERR."""


def _number(value: int, bits: int, name: str) -> int:
    if not 0 <= value < 1 << bits:
        raise ValueError(f"{name} {value}: 0 to {(1 << bits) - 1}")
    return value


def _u32(name: str, value: int) -> ctypes.c_uint32:
    return _U32(_number(value, 32, name))


def _u64(name: str, value: int) -> ctypes.c_uint64:
    return _U64(_number(value, 64, name))


class _Model:
    """A model of the library. `kind`: what the names of its calls begin with; `arguments`: those of its call new."""

    def __init__(self, library: str, kind: str, *arguments: object) -> None:
        self._calls = ctypes.CDLL(library)
        self._calls.dcc_golden_error.restype = ctypes.c_char_p
        self._kind = kind
        new = getattr(self._calls, kind + "new")
        new.restype = ctypes.c_void_p
        handle = new(*arguments)
        if not handle:
            raise self._error()
        self._handle = ctypes.c_void_p(handle)

    def close(self) -> None:
        """Frees the model."""
        getattr(self._calls, self._kind + "free")(self._handle)
        self._handle = ctypes.c_void_p(None)

    def __enter__(self: _M) -> _M:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _error(self) -> ValueError:
        return ValueError(self._calls.dcc_golden_error().decode())

    def _do(self, name: str, *arguments: object) -> int:
        result = int(getattr(self._calls, self._kind + name)(self._handle, *arguments))
        if result == -1:
            raise self._error()
        return result

    def _call(self, name: str, cycle: int, *arguments: object) -> int:
        return self._do(name, _u64("cycle", cycle), *arguments)


class Golden(_Model):
    """Model of the whole block, with `slots` slots and `latency` cycles from issue to answer."""

    def __init__(self, library: str, slots: int = 1024, latency: int = 64) -> None:
        super().__init__(library, "dcc_golden_", _u32("slots", slots), _u32("latency", latency))

    def cnp(self, cycle: int, flow: int, dscp: int, marks: int = 1, packets: int = 0) -> None:
        """Passes a congestion notification to the block."""
        self._call("cnp", cycle, _u32("flow", flow), _u32("dscp", dscp), _u32("marks", marks),
                   _u32("packets", packets))

    def sent(self, cycle: int, flow: int, dscp: int, length: int) -> None:
        """Passes a byte notification, in a cycle in which bytes_ready_o is 1."""
        self._call("bytes", cycle, _u32("flow", flow), _u32("dscp", dscp), _u32("length", length))

    def release(self, cycle: int, flow: int) -> None:
        """Releases the flow's slot by a command."""
        self._call("release", cycle, _u32("flow", flow))

    def query(self, cycle: int, flow: int) -> None:
        """Queries the flow's rate by a command; the answer has `query` set."""
        self._call("query", cycle, _u32("flow", flow))

    def write(self, cycle: int, address: int, data: int) -> None:
        """Makes an APB write whose PSEL rises in `cycle`."""
        if self._call("write", cycle, _u32("address", address), _u32("data", data)):
            raise BusError(f"write of 0x{data:08x} to 0x{address:05x}")

    def read(self, cycle: int, address: int) -> int:
        """Makes an APB read whose PSEL rises in `cycle`; returns the data."""
        data = _U32()
        if self._call("read", cycle, _u32("address", address), ctypes.byref(data)):
            raise BusError(f"read of 0x{address:05x}")
        return data.value

    def answers(self, cycle: int) -> Iterator[Answer]:
        """Yields the answers that leave in or before `cycle`."""
        when, kind, flow, rate = _U64(), _U32(), _U32(), _U32()
        places = [ctypes.byref(one) for one in (when, kind, flow, rate)]
        while self._call("answer", cycle, *places):
            yield Answer(when.value, flow.value, None if kind.value == 2 else rate.value, kind.value != 0)

    def irq(self, cycle: int) -> bool:
        """Returns irq_o in `cycle`."""
        return bool(self._call("irq", cycle))

    def slot_of(self, cycle: int, flow: int) -> Optional[int]:
        """Returns the slot of a flow; None for a flow without a slot."""
        slot = self._call("slot_of", cycle, _u32("flow", flow))
        return None if slot == -2 else slot

    def decrease(self, rc: int, rt: int, alpha: int, delta: int, dscp: int, marks: int = 1,
                 first: bool = False) -> Tuple[int, int, int]:
        """Calculates a cut with the rate unit and the present registers and tables: new (rc, rt, alpha)."""
        state = [_u32("rc", rc), _u32("rt", rt), _u32("alpha", alpha)]
        self._do("decrease", *map(ctypes.byref, state), _u32("delta", delta), _u32("dscp", dscp),
                 _u32("marks", marks), ctypes.c_int(first))
        return state[0].value, state[1].value, state[2].value

    def increase(self, rc: int, rt: int, dscp: int, stage: int, packets: int = 0) -> Tuple[int, int, bool]:
        """Calculates an increase with the rate unit: new (rc, rt), and whether rc is the greatest rate of its DSCP."""
        state = [_u32("rc", rc), _u32("rt", rt)]
        most = self._do("increase", *map(ctypes.byref, state), _u32("dscp", dscp), _u32("stage", stage),
                        _u32("packets", packets))
        return state[0].value, state[1].value, bool(most)


class Wheel(_Model):
    """A timing wheel of its own: one event for each slot over 2^16 ticks."""

    def __init__(self, library: str, slots: int = 1024) -> None:
        super().__init__(library, "dcc_golden_wheel_", _u32("slots", slots))

    def start(self, slot: int, delay: int, now: int) -> None:
        """Starts or restarts the slot's event, due at now + max(1, delay)."""
        self._do("start", _u32("slot", slot), _u32("delay", delay), _u64("now", now))

    def cancel(self, slot: int, now: int) -> bool:
        """Cancels the slot's event; False if no event was pending."""
        return bool(self._do("cancel", _u32("slot", slot), _u64("now", now)))

    def take(self, now: int) -> Optional[Tuple[int, int]]:
        """Takes the next expired event; returns (slot, due), or None if no event has expired."""
        slot, due = _U32(), _U64()
        if not self._do("take", _u64("now", now), ctypes.byref(slot), ctypes.byref(due)):
            return None
        return slot.value, due.value


class Pacer(_Model):
    """Model of the pacer, which decides which flow sends its next packet. `scale`: 2048 times the clock frequency
    in MHz; `slack`: cycles after its deadline from which on a packet is late. In each cycle call outputs(), then
    the inputs."""

    def __init__(self, library: str, scale: int, slack: int, flows: int = 1024, width: int = 32,
                 depth: int = 4) -> None:
        super().__init__(library, "dcc_golden_pacer_", _u32("flows", flows), _u32("width", width),
                         _u32("depth", depth), _u32("scale", scale), _u32("slack", slack))

    def pins(self, cycle: int, paused: int = 0, want: bool = False) -> None:
        """Sets paused_i and want_i from `cycle` on."""
        self._call("pins", cycle, _u32("paused", paused), _u32("want", int(want)))

    def post(self, cycle: int, flow: int, length: int) -> None:
        """Posts a packet of `length` bytes on the wire, in a cycle in which post_ready_o is 1."""
        self._call("post", cycle, _u32("flow", flow), _u32("length", length))

    def rate(self, cycle: int, flow: int, rate: int, priority: int) -> None:
        """Sets a flow's rate (24.8 Mb/s) and priority, in a cycle in which rate_ready_o is 1."""
        self._call("rate", cycle, _u32("flow", flow), _u32("rate", rate), _u32("priority", priority))

    def outputs(self, cycle: int) -> PacerOutputs:
        """Returns the output pins during `cycle`."""
        flow, length = _U32(), _U32()
        shown = self._call("outputs", cycle, ctypes.byref(flow), ctypes.byref(length))
        return PacerOutputs((flow.value, length.value) if shown & 1 else None, bool(shown & 2), bool(shown & 4),
                            bool(shown & 8), bool(shown & 16))
