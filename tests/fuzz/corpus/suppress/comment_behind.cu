/* cuwarp: ignore[divergent-barrier] -- nothing follows */ // but a comment on the same line

void f();
