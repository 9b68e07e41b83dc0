# SPDX-License-Identifier: BSD-3-Clause
"""Judges what probe.c prints in exact arithmetic: integers and fractions, nothing of the library.

The claims are those of src/exact/BOUNDS.md.
"""
import math
import sys
from fractions import Fraction

checks = 0


def claim(holds, *what):
    """Counts a claim; the first that does not hold ends the program."""
    global checks
    checks += 1
    if not holds:
        sys.exit("does not hold: " + " ".join(map(str, what)))


def whole(N):
    """N as the number that it stands for."""
    return N or 2**64


def check_engine(S, negative, positive, bias, radix, align, count, *moduli):
    claim(len(moduli) == count and count > 0, "a table", moduli)
    for i, m in enumerate(moduli):
        claim(i == 0 or m < moduli[i - 1], "moduli descend", m)
        claim(m // 2 <= negative and (m - 1) // 2 <= positive, "residues fit the engine", m)
        claim((m // 2) ** 2 <= S, "one product fits S", m)
        for other in moduli[:i]:
            claim(math.gcd(m, other) == 1, "coprime", m, other)
    claim(bias >= S, "sums are biased to be non-negative", bias, S)
    claim(2 * bias < 2**64, "biased sums are words")
    if radix:
        half = 2 ** (radix - 1)
        claim(half <= negative and half - 1 <= positive, "digits fit the engine", radix)
        claim(half * half <= S, "one product of digits fits S")
    if max(moduli) <= 256:
        # Greedily: each number that is left out shares a factor with a larger one of the table.
        for m in range(moduli[-1], 257):
            larger = [x for x in moduli if x > m]
            claim((m in moduli) == all(math.gcd(m, x) == 1 for x in larger), "greedy", m)
        claim(abs(math.log2(math.prod(moduli)) - 155.37) < 0.005, "155.37 bits together")
    else:
        claim(max(moduli) <= 2**20, "at most 2^20")
        claim(159.99 < math.log2(math.prod(moduli)) < 160, "159.99 bits together")
    return moduli


def fraction_bits(moduli):
    return 15 if max(moduli) <= 256 else 32


def least_moduli(moduli, k, h):
    """The least s with k h^2/M + sum (m_i - 1)/2^(f+1) < 1/2, or 0."""
    twice = 2 ** (fraction_bits(moduli) + 1)
    M, rounding = 1, 0
    for s, m in enumerate(moduli, 1):
        M *= m
        rounding += m - 1
        if Fraction(k * h * h, M) + Fraction(rounding, twice) < Fraction(1, 2):
            return s
    return 0


def check_term(moduli, terms, m, fraction, magic, unbias, bias, weight, N):
    claim(m in moduli and terms == len(moduli), "a modulus of the table", m)
    f = fraction_bits(moduli)
    claim(abs(Fraction(fraction, 2**f) - Fraction(1, m)) <= Fraction(1, 2 ** (f + 1)), "F of", m)
    claim(2 ** (f - 1) + sum((x - 1) * (2 ** (f + 1) // x + 1) // 2 for x in moduli) < 2**64, "T")
    claim(m > 256 or fraction <= 255, "the F of a byte is a byte", m)
    claim((unbias + bias) % m == 0 and 0 <= unbias < m, "unbias of", m)
    claim(weight == math.prod(moduli) // m % whole(N), "weight of", m, N)
    if m <= 256:
        # t - floor(t magic/2^32) m < 2m for every word t: the quotient is at most one too small.
        claim(magic == 2**32 // m, "magic of", m)
        claim((2**32 - 1) * (2**32 - magic * m) < m * 2**32, "quotients by magic of", m)


def check_plane(moduli, planes, m, fold, half, add, magic, center):
    cofactor = math.prod(moduli) // m
    claim(fold * cofactor % m == 1 % m, "fold of", m)
    claim(half == m // 2 and (add + center * fold - half) % m == 0, "add of", m)
    if m <= 256:
        largest = 8 * 255 * 255 + 255
        claim(add <= 255 and largest < 2**20, "the dot product of bytes")
        excess = magic * m - 2**32
        claim(0 <= excess and largest * excess < 2**32, "quotients by magic of", m)


def check_digits(bits, d, center):
    base = 2**bits
    claim(center == base // 2 * (base**d - 1) // (base - 1), "center of", bits, d)
    low, high = -center, base**d - 1 - center
    claim(high == (base // 2 - 1) * (base**d - 1) // (base - 1), "the other end of", bits, d)
    for x in (low, low + 1, -1, 0, 1, high - 1, high):
        digits = [((x + center) >> (bits * i)) % base - base // 2 for i in range(d)]
        claim(sum(y * base**i for i, y in enumerate(digits)) == x, "digits of", x)
    for x in (low - 1, high + 1):
        claim(not 0 <= x + center < base**d, "no digits of", x)


def check_residue_digits(N, bits, d):
    claim(whole(N) <= 2 ** (bits * d), "enough digits for", N)
    claim(d == 1 or whole(N) > 2 ** (bits * (d - 1)), "no digit too many for", N)


def main():
    tables, known = [], {16: 6, 20: 7, 24: 8, 31: 10, 40: 12, 52: 15, 64: 19}
    for line in sys.stdin:
        name, *rest = line.split()
        numbers = [int(x) for x in rest]
        if name == "engine":
            tables.append(check_engine(*numbers))
        elif name == "moduli":
            e, k, bits, s = numbers
            claim(s == least_moduli(tables[e], k, 2 ** (bits - 1)), "moduli for", k, bits, s)
            if e == 0 and k == 2**14 and bits in known:
                claim(s == known[bits], "the design's number of moduli for", bits)
        elif name == "term":
            check_term(tables[-1], *numbers)
        elif name == "plane":
            check_plane(tables[-1], *numbers)
        elif name == "digits":
            check_digits(*numbers)
        elif name == "residue_digits":
            check_residue_digits(*numbers)
        elif name == "planes":
            claim(max(map(len, tables)) <= numbers[0], "planes for all moduli")
            claim(8 * numbers[1] >= 64, "folds for words of eight digits")
        else:
            sys.exit("an unknown line: " + line)
    claim(len(tables) == 3, "three engines")
    print(checks, "claims hold")


main()
