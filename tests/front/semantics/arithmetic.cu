#include "check.h"

FN long long promote(int a, int b) { return (signed char)a + (unsigned char)b + (short)a * (unsigned short)(b & 255); }
EACH_PAIR(promote, promote)

FN long long signs(int a, int b) {
    unsigned u = (unsigned)a;
    long long r = u > (unsigned)b ? 1 : 2;
    r += (a < b) * 4 + (u / 3u) + (a / 3) + (a % 7) + (u % 7u);
    return r + (long long)u + (long long)(unsigned char)a + (long long)(signed char)a;
}
EACH_PAIR(signs, signs)

FN long long widths(int a, int b) {
    unsigned long long x = (unsigned)a;
    long long y = a;
    short s = (short)(a + b);
    unsigned short us = (unsigned short)(a - b);
    char c = (char)b;
    return (long long)(x * 3u) + y * b + s * us + c + (long long)(x >> 3) + (y >> 3);
}
EACH_PAIR(widths, widths)

FN long long shifts(int a, int b) {
    unsigned u = (unsigned)a;
    int n = b & 15;
    return (long long)(u << n) + (a >> n) + (long long)(u >> n) + ((long long)a >> (n + 16)) + (1LL << (n + 20)) +
           ((unsigned char)a >> 3) + ((unsigned char)a << 4);
}
EACH_PAIR(shifts, shifts)

FN long long bits(int a, int b) { return (a & b) + (a | b) * 3 + (a ^ b) * 5 + ~a + !b + -a + +b + !a * 2; }
EACH_PAIR(bits, bits)

FN long long compound(int a, int b) {
    signed char c = (signed char)a;
    unsigned char d = (unsigned char)b;
    short s = (short)a;
    unsigned u = 7;
    long long l = a;
    c += b, d -= a, s *= 3, s /= 2, s %= 100, u += a, u >>= 2, u <<= 1, l *= b, l -= 1000, c ^= d, d |= 0x41, d &= 0x7e;
    l /= 3, s >>= 1, d <<= 1, c >>= 2;
    return c + d * 3LL + s * 5LL + u * 7LL + l * 11;
}
EACH_PAIR(compound, compound)

FN long long steps(int a, int b) {
    signed char c = 127;
    unsigned char d = 255;
    int x = a & 1023;
    long long r = x++ + ++x;
    r = r * 10 + x-- - --x;
    c++, d++, ++c;
    return r + c + d + (++x = b, x);
}
EACH_PAIR(steps, steps)

FN long long logic(int a, int b) {
    int n = 0;
    bool p = a > b && (n += 1, b > 0), q = a < b || (n += 10, a > 0);
    bool r = !(p && q) || (p ^ q);
    n += (a ? 100 : 200) + (p ? q ? 1 : 2 : r ? 3 : 4);
    p |= b, q &= a;
    return n + p * 1000 + q * 2000 + r * 4000;
}
EACH_PAIR(logic, logic)

FN long long mixed_float(int a, int b) {
    float f = a;
    double d = b;
    f += 1.5f, d *= f, f -= d, a += d * 0;
    return (long long)f + (long long)(d * 2) + (f < d) * 7 + (int)(f / 3) + (f ? 1 : 0) + (long long)(a / 2.0);
}
EACH_PAIR(mixed_float, mixed_float)

FN long long commas(int a, int b) {
    int x = (a++, b++, a + b), y = 0;
    for (int i = 0, j = 5; i < j; i++, j--)
        y += i * j;
    return x * 100 + y;
}
EACH_PAIR(commas, commas)

enum color { red, green = 5, blue };
enum class wide : long long { big = 1LL << 40, neg = -3 };
enum small : unsigned char { tiny = 250 };
constexpr int table_size = 12;
static constexpr unsigned mask_of = 0xf0u;
FN long long constants(int a, int b) {
    const int k = a + 1;
    return blue + green * k + (long long)wide::big + (long long)wide::neg + table_size + mask_of + sizeof(double) +
           sizeof(int[3]) + alignof(short) + 'A' + '\n' + true + 0x7fffffffffLL + (small)(tiny + 10) + b % table_size;
}
EACH_PAIR(constants, constants)

FN long long casts(int a, int b) {
    return (long long)static_cast<unsigned char>(a) + int(b) + (char)(a + b * 3) + long(a) + static_cast<bool>(b) +
           (unsigned)(short)a + (short)70000 + static_cast<color>(a & 3) + (bool)0.5f + (long long)(unsigned)-1;
}
EACH_PAIR(casts, casts)
