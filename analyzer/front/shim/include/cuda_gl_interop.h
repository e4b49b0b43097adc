// The calls are with the runtime's.
#pragma once
