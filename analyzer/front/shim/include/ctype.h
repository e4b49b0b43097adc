#pragma once
extern "C" int isalpha(int c), isdigit(int c), isalnum(int c), isspace(int c), isupper(int c), islower(int c),
    isxdigit(int c), ispunct(int c), isprint(int c), isblank(int c), iscntrl(int c), isgraph(int c), tolower(int c),
    toupper(int c);
