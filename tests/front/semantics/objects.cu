#include "check.h"

FN long long refs(int a, int b) {
    int x = a, y = b;
    int &r = x;
    r += 5;
    int &q = a > b ? x : y;
    q = 100;
    const int &c = a + b;
    int *p = &y;
    int *&pr = p;
    *pr += 3;
    pr = &x;
    *p -= 1;
    return x * 1000LL + y + c + r;
}
EACH_PAIR(refs, refs)

FN void swap_ints(int &a, int &b) {
    int t = a;
    a = b;
    b = t;
}
FN int &pick(int &a, int &b, bool first) { return first ? a : b; }
FN void out(int a, int *p, long long &q) { *p = a * 2, q += a; }
FN long long by_reference(int a, int b) {
    long long q = 1;
    int p = 0;
    swap_ints(a, b);
    out(a, &p, q);
    pick(a, b, a > 0) = 9;
    ++pick(a, b, false);
    return a * 10000LL + b * 100LL + p + q;
}
EACH_PAIR(by_reference, by_reference)

FN long long arrays(int a, int b) {
    int m[3][4] = {{1, 2, 3}, {4}, {}};
    int z[2][2][2] = {1, 2, 3, 4, 5};
    long long r = 0;
    m[2][3] = a;
    m[b & 1][2] += 7;
    int (*row)[4] = m + 1;
    row[0][1] = b;
    (*row)[3] = 8;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            r = r * 3 + m[i][j];
    char text[8] = "abc";
    for (char c : text)
        r += c;
    return r + z[1][0][0] + z[0][1][1] * 2 + z[1][1][1] + sizeof(m) + 2 [m[0]];
}
EACH_PAIR(arrays, arrays)

FN long long pointers(int a, int b) {
    int v[10] = {};
    for (int i = 0; i < 10; i++)
        v[i] = i * a + b;
    int *p = v + 3, *end = &v[10];
    p++, ++p, p += 2, p -= 1;
    long long r = *p + p[1] + *(p - 2) + p[-1] + (end - p) + (p < end) * 100 + (p == &v[6]) * 200;
    r += *p++, r += *++p;
    const int *q = &v[9];
    while (q != v)
        r += *q-- & 3;
    int *n = nullptr;
    return r + (n ? 1 : 2) + !n + (n == nullptr);
}
EACH_PAIR(pointers, pointers)

struct point {
    int x, y;
    FN int sum() const { return x + y; }
    FN point &add(int d) {
        x += d;
        this->y += d;
        return *this;
    }
    FN point operator+(const point &o) const { return point{x + o.x, y + o.y}; }
    FN bool operator==(const point &o) const { return x == o.x && y == o.y; }
    FN int operator[](int i) const { return i ? y : x; }
    FN int operator()(int k) const { return k * x - y; }
    FN explicit operator bool() const { return x != 0; }
    FN operator long long() const { return x * 7LL; }
};
FN point make(int a, int b) { return {a, b}; }
FN point twice(point p) {
    p.x *= 2;
    p.y *= 2;
    return p;
}
FN long long structs(int a, int b) {
    point p{a, b}, q = {b}, r = p;
    r.add(3).add(4);
    point s = p + r + twice(q), t{};
    t = s;
    t.x ^= 5;
    point *pp = &t;
    pp->y -= 1;
    point arr[2] = {{1, 2}, make(a, 3)};
    arr[1].add(b);
    long long n = t;
    bool truth = static_cast<bool>(q);
    return p.sum() + r.x * 3LL + s[0] * 5LL + t[1] * 7LL + (s == t) + t(3) + arr[1].x + arr[0].y + make(a, b).sum() + n +
           truth * 10000 + (make(1, 2) + make(3, 4)).y;
}
EACH_PAIR(structs, structs)

struct inner {
    short a = 3;
    char b[3] = {1, 2};
};
struct outer {
    inner in;
    int k = 40;
    inner list[2];
    const int &ref;
    FN outer(int v, const int &r) : k(v), ref(r) { in.a += 1; }
    FN outer(const int &r) : outer(9, r) { list[1].b[2] = 7; }
};
FN long long nested(int a, int b) {
    int target = b;
    outer o(target), p(a, target);
    target = 1000;
    outer q = p;
    q.list[0].a = 5;
    return o.in.a + o.k * 3LL + o.list[1].b[2] * 5 + p.k + p.list[1].a + q.list[0].a + q.ref + p.in.b[1] + p.in.b[2];
}
EACH_PAIR(nested, nested)

struct base {
    int u;
    FN base(int v) : u(v + 1) {}
    FN int get() const { return u; }
};
struct second {
    long long w = 11;
    FN long long second_get() const { return w; }
};
struct derived : base, second {
    int z;
    FN derived(int v) : base(v), z(v * 2) { w += v; }
    FN int all() const { return u + z + get(); }
};
struct third : derived {
    using derived::derived;
    FN third(int a, int b) : derived(a) { z += b; }
};
FN int through_base(const base &b) { return b.get() * 3; }
FN long long through_second(const second *s) { return s->second_get(); }
FN long long inheritance(int a, int b) {
    derived d(a & 1023);
    third t(a & 255, b & 255);
    base copy = d;
    second &s = t;
    s.w += 2;
    return d.all() + through_base(d) + through_second(&d) + t.all() + t.w + copy.u + through_second(&t) +
           static_cast<const derived &>(t).z;
}
EACH_PAIR(inheritance, inheritance)

struct counter {
    int n = 0;
    FN int next() { return ++n; }
};
FN int three(int a, int b, int c) { return a * 100 + b * 10 + c; }
FN long long defaults(int a, int b = 4, int c = 1 << 3) { return a * 10000LL + b * 100 + c; }
FN long long calls(int a, int b) {
    counter k;
    int first = k.next();
    k.next();
    return three(first, k.n, k.next() * 2) + defaults(a & 7) + defaults(a & 3, b & 3) + defaults(1, 2, 3);
}
EACH_PAIR(calls, calls)

struct quad {
    int x, y, z, w;
};
FN long long initialisers(int a, int b) {
    quad p = {1, a}, q = {.x = b, .z = 5}, r{}, s = quad();
    quad list[3] = {{1}, {a, b}};
    int v[6] = {1, 2, [4] = 9};
    int n{a}, m = {}, k = int();
    unsigned char c = {200};
    struct {
        int g, h;
    } local = {7, 8};
    return p.y + p.w + q.x + q.y + q.z * 3 + r.z + s.w + list[1].y + list[2].x + v[4] + v[5] + n + m + k + c + local.g * local.h;
}
EACH_PAIR(initialisers, initialisers)

union number {
    int i;
    unsigned u;
    unsigned char bytes[4];
};
__device__ int unions(int a) {
    number n;
    n.i = a;
    n.bytes[1] = 7;
    return (int)n.u;
}
IS(unions, unions(0x01020304), 0x01020704)

__device__ int carved(int a) {
    alignas(16) char buffer[64];
    int *ints = reinterpret_cast<int *>(buffer);
    short *shorts = (short *)(buffer + 16);
    for (int i = 0; i < 4; i++)
        ints[i] = a + i;
    shorts[2] = 5;
    int &alias = reinterpret_cast<int &>(buffer[4]);
    alias += 100;
    return ints[1] * 10 + ints[3] + shorts[2] + (int)(((size_t)(ints + 3) - (size_t)buffer));
}
IS(carved, carved(2), 1030 + 5 + 5 + 12)

__device__ int static_shared(int a) {
    __shared__ int s[8];
    __shared__ point p;
    s[3] = a;
    p.y = 6;
    int *q = s;
    return q[3] + p.y;
}
IS(static_shared, static_shared(4), 10)

extern __shared__ float dynamic_floats[];
__device__ int dynamic_shared(int a) {
    extern __shared__ int dynamic_ints[];
    dynamic_ints[5] = a;
    int *also = (int *)dynamic_floats;
    return also[5] + (int)((char *)&dynamic_ints[3] - (char *)dynamic_floats);
}
IS(dynamic_shared, dynamic_shared(30), 42)

__device__ int device_table[4] = {1, 2, 3, 4};
__device__ int globals(int a) {
    device_table[2] = a;
    return device_table[2] * 2;
}
IS(globals, globals(21), 42)

__device__ int bindings(int a) {
    point p{a, 5};
    int v[3] = {1, 2, 3};
    auto [x, y] = p;
    auto &[px, py] = p;
    auto [v0, v1, v2] = v;
    const auto &[w0, w1, w2] = v;
    px = 100;
    v[0] = 50;
    v1 = 9;
    return x + y * 2 + p.x * 3 + py + v0 + v1 + v2 + w0;
}
IS(bindings, bindings(7), 7 + 10 + 300 + 5 + 1 + 9 + 3 + 50)

#include <initializer_list>
__device__ int listed(int a) {
    int r = 0;
    for (int stride : {a, a / 2, a / 4, 1})
        r = r * 10 + stride;
    return r;
}
IS(listed, listed(8), 8421)

typedef int four[4];
FN long long written_as_arrays(int a[4], const int q[][3], four t, int n) {
    a[1] = 20;
    int *p = a;
    a++;
    auto copy = t;
    int &r = *a;
    r += n;
    a += 1;
    long long s = sizeof(a) + *(a + 1) + p[1] + *copy + (n > 0 ? a : t)[0];
    return s + q[1][2] + (q + 1)[0][1] + (a == p + 2) * 1000 + (a - p) * 10000;
}
FN long long array_parameters(int a, int b) {
    int v[4] = {1, 2, 3, 4}, w[2][3] = {{a, b, 5}, {6, 7, 8}}, x[4] = {9, 10, 11, 12};
    return written_as_arrays(v, w, x, a) + v[1] * 100000LL;
}
EACH_PAIR(array_parameters, array_parameters)
