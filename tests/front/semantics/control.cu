#include "check.h"

FN long long ifs(int a, int b) {
    long long r = 0;
    if (a > b)
        r = 1;
    else if (a == b)
        r = 2;
    else
        r = 3;
    if (int c = a & 7)
        r += c * 10;
    else
        r += c + 500;
    if (int d = b & 3; d > 1)
        r += 1000 * d;
    if (a > 0)
        if (b > 0)
            r += 7;
        else
            r += 9;
    return r;
}
EACH_PAIR(ifs, ifs)

FN long long fors(int a, int b) {
    long long r = 0;
    int i = 0;
    for (;;) {
        if (++i > 5)
            break;
        if (i == 3)
            continue;
        r += i;
    }
    for (; i < 20;)
        i += 3;
    for (i = 0; ; i++)
        if (i > (b & 15))
            break;
    r += i * 100;
    for (int k = 0; ; )
        if (k++ > 3)
            break;
        else
            r += k;
    for (; ; i--)
        if (i <= 0)
            break;
    for (int x = a & 7, y = 0; x; x >>= 1, ++y)
        r += y * x;
    for (int z = 3; int w = z; z--)
        r += w * 1000;
    return r + i;
}
EACH_PAIR(fors, fors)

FN long long whiles(int a, int b) {
    long long r = 0;
    unsigned n = (unsigned)a & 63;
    while (n > 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        r++;
        if (r > 200)
            break;
    }
    int k = b & 7;
    do {
        if (k == 4)
            continue;
        r += 10;
    } while (k-- > 0);
    while (int left = k + 3) {
        k--;
        r += left * 100;
    }
    return r;
}
EACH_PAIR(whiles, whiles)

FN long long switches(int a, int b) {
    long long r = 0;
    for (int i = 0; i < 12; i++) {
        switch ((a + i) & 7) {
        case 0: r += 1; break;
        case 1:
        case 2: r += 10;
        case 3: r += 100; break;
        default: r += 1000; break;
        case 5: {
            switch (i & 1) {
            case 1: r += 5; break;
            default: r += 3;
            }
            continue;
        }
        }
        r += 7;
    }
    switch (b) {
    case -7 ... 3: r += 20000; break;
    case 5: return r;
    case 100 ... 100000: r += 40000;
    }
    switch (int q = b & 3; q) {
    case 2: r *= 2;
    }
    switch ((signed char)b) {
    case -1: r += 1; break;
    case 127: r += 2;
    }
    return r;
}
EACH_PAIR(switches, switches)
SAME2(switches_range, switches, 9, 99999)
SAME2(switches_outside, switches, 9, 100001)
SAME2(switches_char, switches, 9, 383)

__device__ long long duff(int n) {
    int count = n, r = 0;
    int rounds = (count + 3) / 4;
    switch (count % 4) {
    case 0:
        do {
            r += 1;
        case 3: r += 10;
        case 2: r += 100;
        case 1: r += 1000;
        } while (--rounds > 0);
    }
    return r;
}
IS(duff_4, duff(4), 1111)
IS(duff_5, duff(5), 2111)
IS(duff_7, duff(7), 2221)

__device__ int gotos(int n) {
    int i = 0, r = 1;
again:
    if (i == n)
        goto done;
    ++i;
    r *= i;
    if (r > 1000)
        goto big;
    goto again;
big:
    r = -r;
done:
    return r;
}
IS(goto_0, gotos(0), 1)
IS(goto_5, gotos(5), 120)
IS(goto_9, gotos(9), -5040)

__device__ int goto_out(int n) {
    int r = 0;
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 10; j++) {
            r++;
            if (i * j == n)
                goto found;
        }
    return -1;
found:
    return r;
}
IS(goto_out, goto_out(12), 27)
IS(goto_out_none, goto_out(11), -1)

FN long long nested_ternary(int a, int b) {
    return a > 10 ? b > 10 ? 1 : 2 : a < -10 ? (b < 0 ? 3 : 4) : (a == b ? 5 : a > b ? 6 : 7);
}
EACH_PAIR(nested_ternary, nested_ternary)

FN int early(int a, int b) {
    for (int i = 0; i < 8; i++) {
        if ((a >> i & 1) && i > (b & 3))
            return i * 10 + 1;
        while (i == 5) {
            if (b < 0)
                return 77;
            i++;
        }
    }
    return a < 0 ? -2 : -1;
}
EACH_PAIR(early, early)

FN long long range_for(int a, int b) {
    int v[5] = {a, b, a + b, 3, 4};
    long long r = 0;
    for (int x : v) {
        if (x == 3)
            continue;
        r = r * 3 + x;
    }
    for (int &x : v)
        x += 1;
    for (const auto &x : v)
        r += x;
    short s[3] = {1, -2, 300};
    for (long long w : s)
        r = r * 2 + w;
    return r + v[4];
}
EACH_PAIR(range_for, range_for)

FN long long unrolled(int a, int b) {
    long long r = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
        r += i * a;
#pragma unroll 2
    for (int i = 4; i > 0; --i)
        r = r * 2 + b;
    return r;
}
EACH_PAIR(unrolled, unrolled)

__device__ int statement_expression(int a) {
    int x = ({
        int t = a * 2;
        if (t > 10)
            t = 10;
        t + 1;
    });
    return x * 3;
}
IS(statement_expression_small, statement_expression(3), 21)
IS(statement_expression_large, statement_expression(30), 33)
