# SPDX-License-Identifier: BSD-3-Clause
"""The C interface as ctypes sees it. Written by python/generate.py from modblas.h: do not edit."""

from __future__ import annotations

from ctypes import (
    POINTER,
    Structure,
    c_char,
    c_char_p,
    c_int,
    c_int64,
    c_size_t,
    c_uint64,
    c_void_p,
)
from enum import IntEnum
from typing import Any

VERSION = "0.1.0"


class Status(IntEnum):
    OK = 0
    EINVAL = 1
    ENOMEM = 2
    ENOPLAN = 3
    ENOTINT = 4
    EBOUND = 5
    EDEVICE = 6
    EUNAVAILABLE = 7
    EVERIFY = 8
    EINTERNAL = 9


class Type(IntEnum):
    U8 = 0
    U16 = 1
    U32 = 2
    U64 = 3
    I8 = 4
    I16 = 5
    I32 = 6
    I64 = 7
    F32 = 8
    F64 = 9


class Backend(IntEnum):
    AUTO = 0
    HOST = 1
    CUDA = 2


class Scheme(IntEnum):
    AUTO = 0
    DIRECT = 1
    SPLIT = 2
    RNS = 3
    PLAIN = 4


class Engine(IntEnum):
    AUTO = 0
    I8 = 1
    F64 = 2
    F32 = 3


class Verify(IntEnum):
    OFF = 0
    FREIVALDS = 1


class Side(IntEnum):
    A = 0
    B = 1


STATUS_TEXT = {
    Status.OK: "success",
    Status.EINVAL: "an argument is invalid",
    Status.ENOMEM: "memory could not be allocated",
    Status.ENOPLAN: "no exact plan fits the problem, the engines and the memory budget",
    Status.ENOTINT: "an entry is not an integer of magnitude at most 2^53",
    Status.EBOUND: "an entry exceeds the bound the caller stated",
    Status.EDEVICE: "a device, its driver or a library on it failed",
    Status.EUNAVAILABLE: "not available in this build or on this machine",
    Status.EVERIFY: "the product failed its check",
    Status.EINTERNAL: "an internal invariant does not hold",
}


class Matrix(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("type", c_int),
        ("rows", c_int64),
        ("cols", c_int64),
        ("row_stride", c_int64),
        ("col_stride", c_int64),
    ]


class DeviceInfo(Structure):
    _fields_ = [
        ("backend", c_int),
        ("device", c_int),
        ("name", c_char * 128),
        ("libraries", c_char * 128),
        ("memory_total", c_uint64),
        ("memory_free", c_uint64),
    ]


class Options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("backend", c_int),
        ("devices", POINTER(c_int)),
        ("device_count", c_int),
        ("workers", c_int),
        ("memory", c_uint64),
        ("verify", c_int),
    ]


class Problem(Structure):
    _fields_ = [
        ("m", c_int64),
        ("n", c_int64),
        ("k", c_int64),
        ("c", c_int),
        ("a", c_int),
        ("b", c_int),
        ("N", c_uint64),
    ]


class PlanOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("scheme", c_int),
        ("engine", c_int),
        ("bound_a", c_uint64),
        ("bound_b", c_uint64),
        ("tile_m", c_int64),
        ("tile_n", c_int64),
        ("chunk_k", c_int64),
        ("packed", c_void_p),
    ]


class Product(Structure):
    _fields_ = [
        ("C", Matrix),
        ("A", Matrix),
        ("B", Matrix),
        ("alpha", c_uint64),
        ("beta", c_uint64),
        ("N", c_uint64),
    ]


class PackOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("width", c_int64),
        ("bound", c_uint64),
        ("other_bound", c_uint64),
        ("scheme", c_int),
        ("engine", c_int),
    ]


# name: (result, arguments)
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "modblas_version": (c_char_p, []),
    "modblas_status_text": (c_char_p, [c_int]),
    "modblas_detail": (c_char_p, []),
    "modblas_device_list": (c_int, [POINTER(DeviceInfo), c_int, POINTER(c_int)]),
    "modblas_options_init": (None, [POINTER(Options)]),
    "modblas_context_create": (c_int, [POINTER(c_void_p), POINTER(Options)]),
    "modblas_context_destroy": (None, [c_void_p]),
    "modblas_context_text": (c_int, [c_void_p, c_char_p, c_size_t, POINTER(c_size_t)]),
    "modblas_gemm": (c_int, [c_void_p, POINTER(Matrix), POINTER(Matrix), POINTER(Matrix),
        c_uint64, c_uint64, c_uint64]),
    "modblas_matmul": (c_int, [c_void_p, POINTER(c_uint64), c_int64, POINTER(c_uint64), c_int64,
        POINTER(c_uint64), c_int64, c_int64, c_int64, c_int64, c_uint64]),
    "modblas_plan_options_init": (None, [POINTER(PlanOptions)]),
    "modblas_plan_create": (c_int, [c_void_p, POINTER(c_void_p), POINTER(Problem),
        POINTER(PlanOptions)]),
    "modblas_plan_destroy": (None, [c_void_p]),
    "modblas_plan_run": (c_int, [c_void_p, POINTER(Matrix), POINTER(Matrix), POINTER(Matrix),
        c_uint64, c_uint64]),
    "modblas_plan_order": (c_int, [c_void_p, c_void_p, POINTER(Matrix), POINTER(Matrix),
        POINTER(Matrix), c_uint64, c_uint64]),
    "modblas_context_status": (c_int, [c_void_p]),
    "modblas_plan_text": (c_int, [c_void_p, c_char_p, c_size_t, POINTER(c_size_t)]),
    "modblas_gemm_batch": (c_int, [c_void_p, POINTER(Product), c_int64]),
    "modblas_graph_create": (c_int, [c_void_p, POINTER(c_void_p)]),
    "modblas_graph_destroy": (None, [c_void_p]),
    "modblas_graph_add": (c_int, [c_void_p, c_void_p, POINTER(Matrix), POINTER(Matrix),
        POINTER(Matrix), c_uint64, c_uint64]),
    "modblas_graph_join": (c_int, [c_void_p]),
    "modblas_graph_run": (c_int, [c_void_p]),
    "modblas_graph_order": (c_int, [c_void_p, c_void_p]),
    "modblas_pack_options_init": (None, [POINTER(PackOptions)]),
    "modblas_pack": (c_int, [c_void_p, POINTER(c_void_p), POINTER(Matrix), c_int, c_uint64,
        POINTER(PackOptions)]),
    "modblas_packed_destroy": (None, [c_void_p]),
    "modblas_gemm_packed": (c_int, [c_void_p, c_int, POINTER(Matrix), POINTER(Matrix), c_uint64,
        c_uint64]),
    "modblas_packed_text": (c_int, [c_void_p, c_char_p, c_size_t, POINTER(c_size_t)]),
}
