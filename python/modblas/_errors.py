# SPDX-License-Identifier: BSD-3-Clause
"""One exception for each status of the library."""

from __future__ import annotations

from ._table import STATUS_TEXT, Status


class Error(Exception):
    """Raised when the library refuses or fails; the text is the library's own sentence."""

    status = Status.OK


class EINVAL(Error, ValueError):
    """An argument is invalid."""

    status = Status.EINVAL


class ENOMEM(Error, MemoryError):
    """Memory could not be allocated."""

    status = Status.ENOMEM


class ENOPLAN(Error):
    """No exact plan fits the problem, the engines and the memory budget."""

    status = Status.ENOPLAN


class ENOTINT(Error, ValueError):
    """A floating entry is not an integer of magnitude at most 2^53."""

    status = Status.ENOTINT


class EBOUND(Error, ValueError):
    """An entry exceeds the bound the caller stated."""

    status = Status.EBOUND


class EDEVICE(Error, RuntimeError):
    """A device, its driver or a library on it failed."""

    status = Status.EDEVICE


class EUNAVAILABLE(Error, RuntimeError):
    """Not available in this build or on this machine."""

    status = Status.EUNAVAILABLE


class EVERIFY(Error, ArithmeticError):
    """The product failed its check."""

    status = Status.EVERIFY


class EINTERNAL(Error, RuntimeError):
    """An internal invariant does not hold."""

    status = Status.EINTERNAL


BY_STATUS: dict[int, type[Error]] = {cls.status: cls for cls in Error.__subclasses__()}


def failure(status: int, detail: str) -> Error:
    """The exception for a status that is not OK."""
    return BY_STATUS[status](detail or STATUS_TEXT[Status(status)])
