/* Inline PTX: enough of it for barriers, special registers and the predicates around them. */
#include "internal.hpp"

#include <cstring>
#include <map>

namespace cuemu {

namespace {

using words = std::vector<std::string>;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* The statements between semicolons, braces left out, split at spaces and commas. */
std::vector<words> statements_of(const char *text) {
    std::vector<words> all(1);
    std::string word;
    auto end_word = [&] {
        if (!word.empty())
            all.back().push_back(word);
        word.clear();
    };
    for (const char *c = text; *c; c++) {
        if (*c == ';' || *c == '{' || *c == '}') {
            end_word();
            if (!all.back().empty())
                all.emplace_back();
        } else if (is_space(*c) || *c == ',') {
            end_word();
        } else {
            word += *c;
        }
    }
    end_word();
    if (all.back().empty())
        all.pop_back();
    return all;
}

std::vector<std::string> split(const std::string &name) {
    std::vector<std::string> parts(1);
    for (char c : name) {
        if (c == '.')
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

struct machine {
    std::initializer_list<operand> operands;
    place at;
    std::map<std::string, std::uint64_t> registers;

    const operand *numbered(const std::string &name) const {
        if (name.size() < 2 || name[0] != '%' || name[1] < '0' || name[1] > '9')
            return nullptr;
        unsigned n = static_cast<unsigned>(std::stoul(name.substr(1)));
        return n < operands.size() ? operands.begin() + n : nullptr;
    }

    std::uint64_t special(const std::string &name) const {
        unsigned lane = current->lane;
        if (name == "%%laneid") return lane;
        if (name == "%%warpid") return current->warp;
        if (name == "%%lanemask_eq") return 1u << lane;
        if (name == "%%lanemask_lt") return (1u << lane) - 1;
        if (name == "%%lanemask_le") return (2u << lane) - 1;
        if (name == "%%lanemask_gt") return ~((2u << lane) - 1);
        if (name == "%%lanemask_ge") return ~((1u << lane) - 1);
        if (name == "%%tid.x") return thread_index().x;
        if (name == "%%ntid.x") return block_dim().x;
        unsupported(("the PTX register " + name).c_str(), at);
    }

    std::uint64_t read(const std::string &name) const {
        if (const operand *o = numbered(name))
            return o->from;
        if (name[0] == '%')
            return special(name);
        if (name[0] >= '0' && name[0] <= '9')
            return std::stoull(name, nullptr, 0);
        auto found = registers.find(name);
        if (found == registers.end())
            unsupported(("the PTX name " + name).c_str(), at);
        return found->second;
    }

    void write(const std::string &name, std::uint64_t v) {
        const operand *o = numbered(name);
        if (o && o->to)
            std::memcpy(o->to, &v, o->size);
        else
            registers[name] = v;
    }
};

/* barrier{.cta}.op{.aligned} and bar.op are one thing; the former is not aligned unless it says so. */
bool run_barrier(machine &m, const words &w) {
    std::vector<std::string> name = split(w[0]);
    if (name[0] != "bar" && name[0] != "barrier")
        return false;
    bool aligned = name[0] == "bar";
    std::string how;
    std::string with;
    for (std::size_t i = 1; i < name.size(); i++) {
        aligned |= name[i] == "aligned";
        if (name[i] == "sync" || name[i] == "arrive" || name[i] == "red")
            how = name[i];
        if (name[i] == "and" || name[i] == "or" || name[i] == "popc")
            with = name[i];
    }
    if (name.size() > 1 && name[1] == "warp") {
        meet(op::syncwarp, static_cast<unsigned>(m.read(w[1])), m.at, nullptr, 0, true);
        return true;
    }
    bool reduces = how == "red";
    std::size_t first = reduces ? 2 : 1;
    bool counted = w.size() > first + (reduces ? 2 : 1);
    barrier_use use = {};
    use.id = static_cast<unsigned>(m.read(w[first]));
    use.count = counted ? static_cast<unsigned>(m.read(w[first + 1])) : 0;
    use.how = reduces ? arrival::reduce : how == "arrive" ? arrival::arrive : arrival::sync;
    use.aligned = aligned;
    use.name = reduces ? "bar.red" : how == "arrive" ? "bar.arrive" : "bar.sync";
    votes v = block_barrier(use, reduces && m.read(w.back()) != 0, m.at);
    if (reduces)
        m.write(w[1], with == "and" ? v.all : with == "or" ? v.any : v.count);
    return true;
}

bool compare(machine &m, const words &w) {
    std::vector<std::string> name = split(w[0]);
    bool is_signed = name.size() > 2 && name[2][0] == 's';
    std::uint64_t a = m.read(w[2]) & 0xffffffffu, b = m.read(w[3]) & 0xffffffffu;
    if (name[1] == "eq") return a == b;
    if (name[1] == "ne") return a != b;
    if (is_signed && name[1] == "lt") return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
    if (is_signed && name[1] == "gt") return static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b);
    if (name[1] == "lt") return a < b;
    if (name[1] == "gt") return a > b;
    unsupported(("the PTX instruction " + w[0]).c_str(), m.at);
}

void run_statement(machine &m, const words &w) {
    std::string name = split(w[0])[0];
    if (w[0] == ".reg" || run_barrier(m, w))
        return;
    if (name == "setp" && w.size() == 4)
        m.write(w[1], compare(m, w));
    else if (name == "selp" && w.size() == 5)
        m.write(w[1], m.read(m.read(w[4]) ? w[2] : w[3]));
    else if (name == "mov" && w.size() == 3)
        m.write(w[1], m.read(w[2]));
    else if (name == "membar" || name == "fence")
        fence();
    else
        unsupported(("the PTX instruction " + w[0]).c_str(), m.at);
}

} // namespace

void ptx(const char *text, std::initializer_list<operand> operands, place at) {
    unobserved strings;
    machine m = {operands, at, {}};
    for (const words &w : statements_of(text))
        run_statement(m, w);
}

void bad_width(int width, place at) {
    finish("violation", std::to_string(width) + " is no width or size of a tile, at " + describe(at));
}

} // namespace cuemu
