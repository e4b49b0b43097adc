#pragma once
typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;
//@ mbarrier.primitives | __device__
