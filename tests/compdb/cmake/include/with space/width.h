#define WIDTH LANES
