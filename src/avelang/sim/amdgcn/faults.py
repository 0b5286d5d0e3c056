"""Codes of what stops a wave: numbers in the workgroup's `fault_code`; `machine` makes errors of them. And what stops a translation."""

from __future__ import annotations

UNKNOWN = 1  # an instruction that is not executed here
OUTSIDE = 2  # memory that the kernel was not given: lane, address, bytes in `fault_extra`
LDS_OUTSIDE = 3  # LDS beyond what the workgroup has: lane, address, bytes in `fault_extra`
TRAP = 4  # s_trap and its like
RESOURCE = 5  # a kind of buffer resource whose range check the manual does not describe
MISALIGNED = 6  # an atomic operation at an address that is not a multiple of its size: lane, address, bytes in `fault_extra`
IN_FLIGHT = 16  # a register whose load or store has not been waited for: `fault_extra` holds the register and the counter
RACE = 17  # LDS that another wave may be using: lane, address, the other wave in `fault_extra`
MEMORY_RACE = 19  # global memory that another wave may be using: lane, address, the other access in `fault_extra`
LANES_DIFFER = 20  # lanes of one store write different values to one address: lane, address, the other lane in `fault_extra`
INACTIVE = 21  # a shuffle from a lane that is not active: lane, the other lane in `fault_extra`
UNWRITTEN = 22  # LDS that nothing wrote is read: lane, address
HAZARD = 18  # too few wait states: `fault_extra` holds the register, how many are there and how many are needed


class Unknown(Exception):
    """Raised by a handler that meets a form of its instruction which it does not execute; the text says which."""
