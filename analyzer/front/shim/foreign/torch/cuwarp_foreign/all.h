#pragma once
#include <cuwarp_foreign/pybind11.h>
#include <cuwarp_foreign/torch.h>
