"""The nursery without root's right to open what its mode forbids, so that `chmod` means something.

Run as a program in the place of `spindle.runtime.nursery`; without root it is the same as that.
"""

from __future__ import annotations

import ctypes
import os

_VERSION_3 = 0x20080522
_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH = 1, 2


def drop_override() -> None:
    """Obey permissions from now on, as all other users must; children do so, too."""
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    data = (ctypes.c_uint32 * 6)()  # (effective, permitted, inheritable) twice: low, high
    for call in (libc.capget, libc.capset):
        if call(header, data) != 0:
            raise OSError(ctypes.get_errno(), f"{call.__name__} failed")
        for index in range(3):
            data[index] &= ~(1 << _CAP_DAC_OVERRIDE | 1 << _CAP_DAC_READ_SEARCH)


if __name__ == "__main__":
    from spindle.runtime.nursery import main

    drop_override()
    main()
