#include "check.h"

FN long long chains(int a, int b) {
    int x, y, z[3] = {};
    x = y = a + 1;
    (x = b) += 3;
    ++(y += 2);
    z[(x = 1)] = y++;
    int *p = z;
    *++p += 10;
    *p++ = *p + 1;
    long long w = (x, y) + (a > b ? x : y) + -(x += 4);
    return w * 1000 + z[1] + (p - z) + x + y;
}
EACH_PAIR(chains, chains)

__device__ long long reference_casts(int a) {
    using ref = int &;
    typedef unsigned int &uref;
    int x = a;
    (ref)x = 5;
    static_cast<ref>(x) += 2;
    const int &c = x;
    const_cast<int &>(c) *= 3;
    long long y = 0x100000002LL;
    int low = reinterpret_cast<int &>(y);
    float f = 1.0f;
    unsigned bits = reinterpret_cast<unsigned &>(f), same = (unsigned &)f, also = *(unsigned *)&f;
    return x + low + (bits == 0x3f800000u) * 100 + (same == bits) * 200 + (also == bits) * 400 + (uref)x;
}
IS(reference_casts, reference_casts(9), 21 + 2 + 700 + 21)

struct vec {
    int x, y;
    FN vec(int v = 0) : x(v), y(v + 1) {}
    FN vec(int a, int b) : x(a), y(b) {}
    FN vec(const vec &o) : x(o.x + 100), y(o.y) {}
    FN vec &operator=(const vec &o) {
        x = o.x + 1000;
        y = o.y;
        return *this;
    }
    FN vec &operator+=(const vec &o) {
        x += o.x, y += o.y;
        return *this;
    }
    FN vec &operator++() {
        ++x;
        return *this;
    }
    FN vec operator++(int) {
        vec old(x, y);
        x += 5;
        return old;
    }
    FN friend vec operator*(const vec &a, int k) { return vec(a.x * k, a.y * k); }
    FN int operator-() const { return -x; }
    FN vec *operator->() { return this; }
    FN int &operator[](int i) { return i ? y : x; }
    FN operator int() const { return x + y; }
};
FN int by_value(vec v) { return v.x * 2 + v.y; }
FN long long overloads(int a, int b) {
    vec p(a, b), q = p, r;
    r = q;
    r += p;
    ++r;
    vec s(r++);
    vec t = s * 3;
    t[0] += 7;
    t[1] = 9;
    return by_value(p) + q.x * 3LL + r.x * 5LL + s.x * 7LL + -t + t->y + (t + 1) + vec(4).y + vec{1, 2}.x;
}
EACH_PAIR(overloads, overloads)

struct root {
    int a;
    int b = 4;
};
struct grown : root {
    int c;
    int d = 6;
};
struct left {
    char c = 1;
    FN explicit left(int v) : c((char)v) {}
    FN left(int v, int w) : left(v + w) {}
};
struct right : left {
    using left::left;
    short s = 3;
};
FN long long aggregates(int a, int b) {
    grown g = {{a, 2}, b}, h{{}, 1, 2};
    right r(5), q(2, 3);
    const right copies[2] = {r, q};
    return g.a + g.b * 3 + g.c * 5 + g.d * 7 + h.a + h.b + h.c + h.d + r.c + r.s + q.c + copies[1].c + copies[0].s;
}
EACH_PAIR(aggregates, aggregates)

struct cell {
    short tag;
    struct {
        int v[2][3];
        char name[2];
    } in[2];
};
FN long long deep(int a, int b) {
    cell c[2] = {};
    c[1].in[a & 1].v[1][b & 1] = a;
    c[1].in[1].name[1] = (char)b;
    cell d = c[1];
    d.in[0].v[0][2] = 9;
    cell *p = &c[0];
    p[1].tag = 5;
    (p + 1)->in[0].v[0][0] += 2;
    long long r = &c[1].in[1].v[1][2] - &c[1].in[1].v[1][0];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 3; k++)
                r = r * 3 + c[1].in[i].v[j][k] + d.in[i].v[j][k];
    return r + c[1].in[1].name[1] + c[1].tag + d.tag + sizeof(cell) + sizeof(c[0].in[0].v[0]);
}
EACH_PAIR(deep, deep)

enum class kind : unsigned char { one = 1, two, many = 200 };
FN kind classify(int a) { return a == 1 ? kind::one : a == 2 ? kind::two : kind::many; }
FN long long enums(int a, int b) {
    long long r = 0;
    for (int i = a & 3; i < 5; i++)
        switch (classify(i)) {
        case kind::one: r += 1; break;
        case kind::two: r += 20;
        case kind::many: r += (int)kind::many; break;
        }
    return r + static_cast<int>(classify(b)) + (classify(1) < kind::two);
}
EACH_PAIR(enums, enums)

struct tally {
    static __device__ int count;
    int id;
    __device__ tally() : id(++count) {}
    static __device__ int twice() { return count * 2; }
};
__device__ int tally::count = 0;
__device__ int static_members(int a) {
    tally::count = a;
    tally x, y;
    y.count += 10;
    return x.id * 100 + y.id * 10 + tally::twice();
}
IS(static_members, static_members(3), 400 + 50 + 30)

struct wrapped {
    int *p;
    const int *const *pp;
    int (*f)(int);
};
FN int add_one(int x) { return x + 1; }
FN long long pointer_fields(int a, int b) {
    int v[2] = {a, b};
    const int *q = v + 1;
    wrapped w{v, &q, add_one};
    w.p[1] += 3;
    *w.p = 4;
    w.p++;
    return **w.pp + w.pp[0][-1] + *w.p;
}
EACH_PAIR(pointer_fields, pointer_fields)

struct matrix {
    float m[2][2];
    FN float *operator[](int i) { return m[i]; }
    FN const float &at(int i, int j) const { return m[i][j]; }
};
FN matrix product(const matrix &a, const matrix &b) {
    matrix r{};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 2; k++)
                r.m[i][j] += a.at(i, k) * b.at(k, j);
    return r;
}
FN long long floats(int a, int b) {
    matrix x{{{1, 2}, {3, (float)(a & 7)}}}, y = product(x, x);
    y[0][1] = 0.5f * (b & 3);
    double s = 0;
    for (auto &row : y.m)
        for (float f : row)
            s += f;
    return (long long)(s * 4) + (y[1][1] >= 6.0f) + (y.at(0, 0) != 7);
}
EACH_PAIR(floats, floats)

template <typename F>
FN int call_twice(F f, int x) { return f(f(x)); }
template <typename T>
FN auto maker(T k) {
    return [k](auto x) { return [k, x](int y) { return k * x + y; }; };
}
FN long long higher_order(int a, int b) {
    int calls = 0;
    auto f = [&calls, a](int x) {
        calls++;
        return x + a;
    };
    int r = call_twice(f, 3) + call_twice([](int x) { return x * 2; }, b);
    auto made = maker(a & 15)((short)3);
    auto recursive = [&](auto self, int n) -> int { return n <= 0 ? 0 : n + self(self, n - 1); };
    return r * 10LL + calls + made(b) + recursive(recursive, 2);
}
SAME(higher_order_a, higher_order(3, 4))
SAME(higher_order_b, higher_order(-5, 100))

/* Captured where it is first used, which may be in a lambda of the lambda; not all that is captured is a variable. */
struct scaled {
    int by;
    FN int of(int a, int b) const {
        int sum = 0, twice = 2 * b;
        auto outer = [&](int x) {
            auto inner = [&](int y) { return sum += (x * by + y) * a - twice; };
            return inner(b) + inner(a);
        };
        return outer(3) + outer(b) + sum;
    }
};
FN long long nested_captures(int a, int b) {
    return scaled{7}.of(a, b);
}
SAME(nested_captures_a, nested_captures(3, 4))
SAME(nested_captures_b, nested_captures(-5, 9))

#define SQUARE(x) ((x) * (x))
#define SWAP(T, a, b) do { T tmp_ = a; a = b; b = tmp_; } while (0)
#define EACH(i, n) for (int i = 0; i < (n); i++)
#define AS_INT(f) (*(int *)&(f))
FN long long macros(int a, int b) {
    int x = SQUARE(a & 31) + SQUARE(2 + 1), y = b;
    SWAP(int, x, y);
    EACH(i, 3)
        EACH(j, i) x += i * j;
    return x * 7LL + y;
}
EACH_PAIR(macros, macros)
__device__ int macro_bits(float f) { return AS_INT(f); }
IS(macro_bits, macro_bits(2.0f), 0x40000000)

struct whole {
    int v;
    FN operator int() const { return v + 1; }
    FN operator bool() const { return v > 2; }
};
template <typename T>
struct window {
    T at[2];
    FN operator T *() { return at; }
    FN operator const T *() const { return at + 1; }
};
FN int doubled(int x) { return x * 2; }
FN long long conversions(int a, int b) {
    whole w = {a};
    window<int> own = {{a, b}};
    const window<int> fixed = own;
    int *p = own;
    const int *q = fixed;
    int s = w;
    p[1] = 5;
    return s + p[0] * 3ll + q[0] * 7ll + doubled(w) * 11ll + (int)w + (w ? 1000 : 2000) + own.at[1];
}
EACH_PAIR(conversions, conversions)
