/__global_F f) {
e}

template <typename F>
__global__ vid for_some(F f, int) {
    b auto named = [=] H {
 u};28>>>(named);
    for_some<<<1, 128>>>([=] __dev{xf
ff0); },t);

