// Host strings and streams: their interface, without bodies.
#pragma once
#include "cuwarp/containers.h"
#include "cctype"
#include "cstdio"
#include "cstdlib"
#include "cstring"
#include "typeinfo"
namespace std {
typedef long streamsize;
typedef long streamoff;
typedef long streampos;
template <typename C> struct char_traits {
    typedef C char_type;
    typedef int int_type;
    typedef streamoff off_type;
    typedef streampos pos_type;
    static size_t length(const C *s);
    static constexpr int eof() { return -1; }
    static constexpr C to_char_type(int c) { return (C)c; }
    static constexpr int to_int_type(C c) { return (unsigned char)c; }
    static constexpr bool eq_int_type(int a, int b) { return a == b; }
    static constexpr bool eq(C a, C b) { return a == b; }
    static int compare(const C *a, const C *b, size_t n);
    static C *copy(C *to, const C *from, size_t n);
    static const C *find(const C *s, size_t n, const C &c);
};
template <typename C, typename R = char_traits<C>> struct basic_string_view {
    static constexpr size_t npos = -1;
    typedef R traits_type;
    typedef C value_type;
    typedef const C *pointer, *const_pointer, *iterator, *const_iterator, &reference, &const_reference;
    typedef std::reverse_iterator<const C *> reverse_iterator, const_reverse_iterator;
    typedef size_t size_type;
    typedef ptrdiff_t difference_type;
    constexpr const C &at(size_t i) const { return p[i]; }
    constexpr size_t max_size() const { return npos / 2; }
    size_t copy(C *to, size_t n, size_t at = 0) const;
    void swap(basic_string_view &o);
    const_reverse_iterator rbegin() const, rend() const, crbegin() const, crend() const;
    bool starts_with(basic_string_view s) const, ends_with(basic_string_view s) const;
    size_t rfind(C c, size_t at = npos) const;
    size_t find(C c, size_t at = 0) const;
    bool operator!=(basic_string_view o) const;
    bool operator<(basic_string_view o) const;
    const C *p;
    size_t n;
    constexpr basic_string_view() : p(nullptr), n(0) {}
    constexpr basic_string_view(const C *s) : p(s), n(__builtin_strlen(s)) {}
    constexpr basic_string_view(const C *s, size_t n) : p(s), n(n) {}
    constexpr size_t size() const { return n; }
    constexpr size_t length() const { return n; }
    constexpr bool empty() const { return n == 0; }
    constexpr const C *data() const { return p; }
    constexpr const C *begin() const { return p; }
    constexpr const C *end() const { return p + n; }
    constexpr const C &operator[](size_t i) const { return p[i]; }
    constexpr const C &front() const { return p[0]; }
    constexpr const C &back() const { return p[n - 1]; }
    constexpr const C *cbegin() const { return p; }
    constexpr const C *cend() const { return p + n; }
    size_t find(basic_string_view s, size_t at = 0) const;
    size_t rfind(basic_string_view s, size_t at = npos) const;
    size_t find_first_of(basic_string_view s, size_t at = 0) const;
    size_t find_first_of(C c, size_t at = 0) const;
    size_t find_first_not_of(basic_string_view s, size_t at = 0) const;
    size_t find_first_not_of(C c, size_t at = 0) const;
    size_t find_last_of(basic_string_view s, size_t at = npos) const;
    size_t find_last_of(C c, size_t at = npos) const;
    size_t find_last_not_of(basic_string_view s, size_t at = npos) const;
    size_t find_last_not_of(C c, size_t at = npos) const;
    basic_string_view substr(size_t at, size_t n = npos) const;
    void remove_prefix(size_t n);
    void remove_suffix(size_t n);
    int compare(basic_string_view o) const;
    bool operator==(basic_string_view o) const;
};
typedef basic_string_view<char> string_view;
typedef basic_string_view<wchar_t> wstring_view;
typedef basic_string_view<char16_t> u16string_view;
typedef basic_string_view<char32_t> u32string_view;
template <typename C> struct hash<basic_string_view<C>> { size_t operator()(const basic_string_view<C> &s) const; };
template <typename C, typename R = char_traits<C>, typename A = allocator<C>> struct basic_string {
    typedef C value_type, *iterator, *pointer, &reference;
    typedef const C *const_iterator, *const_pointer, &const_reference;
    typedef std::reverse_iterator<C *> reverse_iterator;
    typedef std::reverse_iterator<const C *> const_reverse_iterator;
    typedef size_t size_type;
    typedef ptrdiff_t difference_type;
    typedef R traits_type;
    typedef A allocator_type;
    static constexpr size_t npos = -1;
    basic_string();
    const_reverse_iterator rbegin() const, rend() const, crbegin() const, crend() const;
    A get_allocator() const;
    size_t max_size() const;
    void shrink_to_fit();
    const C &at(size_t i) const;
    const C &front() const;
    basic_string &operator+=(initializer_list<C> l);
    basic_string &assign(const C *s);
    basic_string &assign(size_t n, C c);
    template <typename I> basic_string &assign(I a, I b);
    int compare(size_t at, size_t n, const basic_string &s, size_t from, size_t m = npos) const;
    C *insert(const C *at, C c);
    template <typename I> C *insert(const C *at, I a, I b);
    basic_string(const C *s);
    basic_string(const C *s, size_t n);
    basic_string(size_t n, C c);
    basic_string(const basic_string &s);
    basic_string(basic_string &&s) noexcept;
    basic_string(const basic_string &s, size_t at, size_t n = npos);
    template <typename I> basic_string(I a, I b);
    basic_string(initializer_list<C> l);
    explicit basic_string(basic_string_view<C> v);
    ~basic_string();
    basic_string &operator=(const basic_string &s);
    basic_string &operator=(basic_string &&s) noexcept;
    basic_string &operator=(const C *s);
    basic_string &operator=(C c);
    basic_string &operator=(initializer_list<C> l);
    basic_string &operator+=(const basic_string &s);
    basic_string &operator+=(const C *s);
    basic_string &operator+=(C c);
    operator basic_string_view<C>() const;
    C &operator[](size_t i);
    const C &operator[](size_t i) const;
    C &at(size_t i);
    C &front();
    C &back();
    const C &back() const;
    C *begin();
    const C *begin() const;
    C *end();
    const C *end() const;
    reverse_iterator rbegin();
    reverse_iterator rend();
    const C *c_str() const;
    const C *data() const;
    C *data();
    size_t size() const;
    size_t length() const;
    size_t capacity() const;
    bool empty() const;
    void resize(size_t n);
    void resize(size_t n, C c);
    void reserve(size_t n);
    void clear();
    void push_back(C c);
    void pop_back();
    void swap(basic_string &s);
    basic_string &append(const basic_string &s);
    basic_string &append(const C *s);
    basic_string &append(const C *s, size_t n);
    basic_string &append(const basic_string &s, size_t at, size_t n = npos);
    const C *cbegin() const;
    const C *cend() const;
    basic_string &append(size_t n, C c);
    template <typename I> basic_string &append(I a, I b);
    basic_string &replace(size_t at, size_t n, size_t m, C c);
    basic_string &assign(const basic_string &s);
    basic_string &assign(const C *s, size_t n);
    basic_string substr(size_t at = 0, size_t n = npos) const;
    int compare(const basic_string &s) const;
    int compare(size_t at, size_t n, const basic_string &s) const;
    basic_string &replace(size_t at, size_t n, const basic_string &s);
    basic_string &erase(size_t at = 0, size_t n = npos);
    C *erase(const C *at);
    C *erase(const C *a, const C *b);
    basic_string &insert(size_t at, const basic_string &s);
    basic_string &insert(size_t at, size_t n, C c);
    size_t copy(C *to, size_t n, size_t at = 0) const;
    size_t find(const basic_string &s, size_t at = 0) const;
    size_t find(C c, size_t at = 0) const;
    size_t rfind(const basic_string &s, size_t at = npos) const;
    size_t rfind(C c, size_t at = npos) const;
    size_t find_first_of(const basic_string &s, size_t at = 0) const;
    size_t find_last_of(const basic_string &s, size_t at = npos) const;
    size_t find_last_of(C c, size_t at = npos) const;
    size_t find_first_of(C c, size_t at = 0) const;
    size_t find_first_not_of(C c, size_t at = 0) const;
    size_t find_last_not_of(C c, size_t at = npos) const;
    size_t find_first_not_of(const basic_string &s, size_t at = 0) const;
    size_t find_last_not_of(const basic_string &s, size_t at = npos) const;
    bool starts_with(const basic_string &s) const;
    bool ends_with(const basic_string &s) const;
};
typedef basic_string<char> string;
typedef basic_string<wchar_t> wstring;
#if __cplusplus >= 202002L
typedef basic_string<char8_t> u8string;
typedef basic_string_view<char8_t> u8string_view;
#endif
typedef basic_string<char16_t> u16string;
typedef basic_string<char32_t> u32string;
string operator+(const string &a, const string &b);
string operator+(const string &a, const char *b);
string operator+(const char *a, const string &b);
string operator+(const string &a, char b);
string operator+(char a, const string &b);
bool operator==(const string &a, const string &b);
bool operator==(const string &a, const char *b);
bool operator==(const char *a, const string &b);
bool operator!=(const string &a, const string &b);
bool operator!=(const string &a, const char *b);
bool operator!=(const char *a, const string &b);
bool operator<(const string &a, const string &b);
bool operator>(const string &a, const string &b);
bool operator<=(const string &a, const string &b);
bool operator>=(const string &a, const string &b);
int stoi(const string &s, size_t *n = nullptr, int base = 10);
long stol(const string &s, size_t *n = nullptr, int base = 10);
long long stoll(const string &s, size_t *n = nullptr, int base = 10);
unsigned long stoul(const string &s, size_t *n = nullptr, int base = 10);
unsigned long long stoull(const string &s, size_t *n = nullptr, int base = 10);
float stof(const string &s, size_t *n = nullptr);
double stod(const string &s, size_t *n = nullptr);
long double stold(const string &s, size_t *n = nullptr);
wstring to_wstring(int v);
wstring to_wstring(long v);
wstring to_wstring(double v);
string to_string(int v);
string to_string(unsigned v);
string to_string(long v);
string to_string(unsigned long v);
string to_string(long long v);
string to_string(unsigned long long v);
string to_string(float v);
string to_string(double v);
struct locale {
    locale();
    locale(const char *name);
};
struct ios_base {
    enum fmtflags { dec_ = 1 };
    enum openmode { app = 1, ate = 2, binary = 4, in = 8, out = 16, trunc = 32 };
    enum seekdir { beg, cur, end };
    enum iostate { goodbit, badbit, failbit, eofbit };
    struct failure : exception {};
    static constexpr fmtflags adjustfield = dec_, basefield = dec_, internal = dec_, oct = dec_, showbase = dec_,
                              showpos = dec_, skipws = dec_, unitbuf = dec_, uppercase = dec_;
    locale getloc() const;
    static constexpr fmtflags fixed = dec_, scientific = dec_, left = dec_, right = dec_, hex = dec_, dec = dec_,
                              floatfield = dec_, boolalpha = dec_, showpoint = dec_;
    static bool sync_with_stdio(bool on = true);
    fmtflags flags() const;
    fmtflags flags(fmtflags f);
    fmtflags setf(fmtflags f);
    fmtflags setf(fmtflags f, fmtflags mask);
    void unsetf(fmtflags f);
    long precision() const;
    long precision(long n);
    long width() const;
    long width(long n);
};
constexpr ios_base::openmode operator|(ios_base::openmode a, ios_base::openmode b) {
    return ios_base::openmode(int(a) | int(b));
}
struct ios : ios_base {
    explicit operator bool() const;
    bool operator!() const;
    bool good() const;
    bool bad() const;
    bool fail() const;
    bool eof() const;
    void clear(int state = 0);
    void setstate(int state);
    int rdstate() const;
    void exceptions(int mask);
    char fill() const;
    char fill(char c);
    struct streambuf *rdbuf() const;
    struct streambuf *rdbuf(struct streambuf *b);
    void imbue(const locale &l);
    ios *tie(ios *s);
};
struct cuwarp_manipulator {};
struct ostream;
struct istream;
template <typename C, typename R = char_traits<C>> using basic_ostream = ostream;
template <typename C, typename R = char_traits<C>> using basic_istream = istream;
struct ostream : virtual ios {
    ostream &operator<<(ostream &(*f)(ostream &));
    ostream &operator<<(ios_base &(*f)(ios_base &));
    ostream &operator<<(const void *p);
    ostream &operator<<(bool v);
    ostream &operator<<(int v);
    ostream &operator<<(unsigned v);
    ostream &operator<<(long v);
    ostream &operator<<(unsigned long v);
    ostream &operator<<(long long v);
    ostream &operator<<(unsigned long long v);
    ostream &operator<<(float v);
    ostream &operator<<(double v);
    ostream &operator<<(cuwarp_manipulator m);
    ostream &operator<<(nullptr_t);
    ostream &operator<<(streambuf *b);
    ostream &write(const char *p, long n);
    ostream &put(char c);
    ostream &flush();
    ostream &seekp(long at);
    ostream &seekp(long at, seekdir from);
    long tellp();
};
ostream &operator<<(ostream &s, char c);
ostream &operator<<(ostream &s, signed char c);
ostream &operator<<(ostream &s, unsigned char c);
ostream &operator<<(ostream &s, const char *p);
ostream &operator<<(ostream &s, const string &v);
ostream &operator<<(ostream &s, string_view v);
struct istream : virtual ios {
    istream &operator>>(bool &v);
    istream &operator>>(int &v);
    istream &operator>>(unsigned &v);
    istream &operator>>(long &v);
    istream &operator>>(unsigned long &v);
    istream &operator>>(long long &v);
    istream &operator>>(unsigned long long &v);
    istream &operator>>(short &v);
    istream &operator>>(float &v);
    istream &operator>>(double &v);
    istream &operator>>(ios_base &(*f)(ios_base &));
    istream &read(char *p, long n);
    istream &getline(char *p, long n);
    istream &getline(char *p, long n, char c);
    istream &get(char &c);
    int get();
    int peek();
    istream &ignore(long n = 1, int c = -1);
    istream &seekg(long at);
    istream &seekg(long at, seekdir from);
    long tellg();
    long gcount() const;
    istream &putback(char c);
    long readsome(char *p, long n);
    int sync();
    istream &unget();
};
istream &operator>>(istream &s, char &c);
istream &operator>>(istream &s, unsigned char &c);
istream &operator>>(istream &s, char *p);
istream &operator>>(istream &s, string &v);
struct iostream : istream, ostream {};
typedef ios basic_ios_char;
ostream &endl(ostream &s);
ostream &flush(ostream &s);
ostream &ends(ostream &s);
istream &ws(istream &s);
ios_base &fixed(ios_base &s);
ios_base &scientific(ios_base &s);
ios_base &hex(ios_base &s);
ios_base &dec(ios_base &s);
ios_base &oct(ios_base &s);
ios_base &left(ios_base &s);
ios_base &right(ios_base &s);
ios_base &boolalpha(ios_base &s);
ios_base &noboolalpha(ios_base &s);
ios_base &showpoint(ios_base &s);
ios_base &showbase(ios_base &s);
ios_base &uppercase(ios_base &s);
ios_base &internal(ios_base &s);
ios_base &defaultfloat(ios_base &s);
ios_base &noskipws(ios_base &s);
ios_base &showpos(ios_base &s), &noshowpos(ios_base &s), &hexfloat(ios_base &s), &noshowbase(ios_base &s),
    &noshowpoint(ios_base &s), &nounitbuf(ios_base &s), &unitbuf(ios_base &s), &nouppercase(ios_base &s),
    &skipws(ios_base &s);
cuwarp_manipulator setiosflags(ios_base::fmtflags f), resetiosflags(ios_base::fmtflags f);
template <typename S> cuwarp_manipulator quoted(S &&s);
template <typename T> cuwarp_manipulator put_time(const T *t, const char *format);
template <typename T> cuwarp_manipulator get_time(T *t, const char *format);
cuwarp_manipulator setw(int n);
cuwarp_manipulator setprecision(int n);
cuwarp_manipulator setfill(char c);
cuwarp_manipulator setbase(int n);
istream &getline(istream &s, string &v);
istream &getline(istream &s, string &v, char c);
extern ostream cout, cerr, clog;
extern istream cin;
struct streambuf {
    long pubseekoff(long at, ios_base::seekdir d);
    int sbumpc();
    int sgetc();
    int snextc();
    long sgetn(char *to, long n);
    long sputn(const char *from, long n);
    long in_avail();
};
struct ofstream : ostream {
    ofstream();
    explicit ofstream(const char *path, ios_base::openmode m = ios_base::out);
    explicit ofstream(const string &path, ios_base::openmode m = ios_base::out);
    void open(const char *path, ios_base::openmode m = ios_base::out);
    void open(const string &path, ios_base::openmode m = ios_base::out);
    void close();
    bool is_open() const;
};
struct ifstream : istream {
    ifstream();
    explicit ifstream(const char *path, ios_base::openmode m = ios_base::in);
    explicit ifstream(const string &path, ios_base::openmode m = ios_base::in);
    void open(const char *path, ios_base::openmode m = ios_base::in);
    void open(const string &path, ios_base::openmode m = ios_base::in);
    void close();
    bool is_open() const;
};
struct fstream : iostream {
    fstream();
    explicit fstream(const char *path, ios_base::openmode m = ios_base::in);
    explicit fstream(const string &path, ios_base::openmode m = ios_base::in);
    void open(const char *path, ios_base::openmode m = ios_base::in);
    void close();
    bool is_open() const;
};
struct ostringstream : ostream {
    ostringstream();
    explicit ostringstream(const string &s);
    string str() const;
    void str(const string &s);
};
struct istringstream : istream {
    istringstream();
    explicit istringstream(const string &s);
    string str() const;
    void str(const string &s);
};
struct stringstream : iostream {
    stringstream();
    explicit stringstream(const string &s, ios_base::openmode m = ios_base::in);
    string str() const;
    void str(const string &s);
};
typedef streambuf filebuf, stringbuf;
template <typename C, typename R = char_traits<C>> using basic_streambuf = streambuf;
template <typename C, typename R = char_traits<C>> using basic_filebuf = streambuf;
template <typename C, typename R = char_traits<C>> using basic_ios = ios;
template <typename C, typename R = char_traits<C>> using basic_iostream = iostream;
template <typename C, typename R = char_traits<C>> using basic_ofstream = ofstream;
template <typename C, typename R = char_traits<C>> using basic_ifstream = ifstream;
template <typename C, typename R = char_traits<C>> using basic_fstream = fstream;
template <typename C, typename R = char_traits<C>, typename A = allocator<C>> using basic_ostringstream = ostringstream;
template <typename C, typename R = char_traits<C>, typename A = allocator<C>> using basic_istringstream = istringstream;
template <typename C, typename R = char_traits<C>, typename A = allocator<C>> using basic_stringstream = stringstream;
template <typename C, typename R = char_traits<C>, typename A = allocator<C>> using basic_stringbuf = streambuf;
}
