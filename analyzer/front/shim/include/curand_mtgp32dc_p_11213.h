#pragma once
extern int mtgp32dc_params_fast_11213[];
