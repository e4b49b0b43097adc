// cuwarp: ignore[race] -- over a conditional
#if A
if (x) {
#else
if (y) {
#endif
    f(); // cuwarp: ignore[a, b] -- r
}
#define M(x) do { /* cuwarp: ignore[mask] -- m */ \
    g(x); // cuwarp: off[race] \
} while (0)
/* cuwarp: assume uniform(n, k) */ while (n) { do { } while (k); }
x = [&] { return S{1, 2}; }(); // NOLINT(cuwarp-*) 
// cuwarp: on[race]
// NOLINTBEGIN(cuwarp-mask, other)
R"x(// cuwarp: ignore[a])x"; for (int i = 0; i < n; i++) // cuwarp: launch block=32x2 grid=4
    if (a) b(); else c(); // NOLINTEND(cuwarp-mask)
// cuwarp: ignore-file[volta] -- w
