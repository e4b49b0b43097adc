struct list { list first, rest; int v[4]; };
struct a : a { list x[3]; a y; };
struct b1 { int i, j; }; struct b2 { b1 x[9], y; }; struct b3 { b2 x[9], y; }; struct b4 { b3 x[9], y; };
struct b5 { b4 x[9], y; }; struct b6 { b5 x[9], y; }; struct b7 { b6 x[9], y; };
__global__ void k(int *o) { list l; a m; list n[2]; b7 big; list q = l; o[0] = l.v[1] + m.y.x[0].v[0] + big.y.y.y.y.y.y.j; }
