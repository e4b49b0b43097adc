#pragma once
#include "thrust/cuwarp_thrust.h"
