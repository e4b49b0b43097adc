// Part of what is always there.
#pragma once
