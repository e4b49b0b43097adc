#include "base/build_id.h"

#include <elf.h>
#include <link.h>
#include <string.h>

enum { MAX_BYTES = 64, NOTE_ALIGN = 4 };

struct id {
    const uint8_t *at;
    size_t n;
};

static size_t round_up_note(size_t n) {
    return (n + NOTE_ALIGN - 1) / NOTE_ALIGN * NOTE_ALIGN;
}

/* Notes of one segment: a header, a name, a description, each padded (the ELF specification, "Note Section"). */
static struct id id_among(const uint8_t *at, size_t bytes) {
    while (bytes >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, at, sizeof note);
        size_t head = sizeof note + round_up_note(note.n_namesz), all = head + round_up_note(note.n_descsz);
        if (all > bytes)
            break;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU && note.n_descsz <= MAX_BYTES &&
            memcmp(at + sizeof note, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0)
            return (struct id){at + head, note.n_descsz};
        at += all;
        bytes -= all;
    }
    return (struct id){0};
}

/* Called for each loaded object, first for the program: a result other than 0 ends that. */
static int find_note(struct dl_phdr_info *object, size_t size, void *to) {
    struct id *id = to;
    (void)size;
    for (uint32_t k = 0; k < object->dlpi_phnum && !id->at; k++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[k];
        if (p->p_type == PT_NOTE)
            *id = id_among((const uint8_t *)(object->dlpi_addr + p->p_vaddr), p->p_memsz); /* NOLINT: mapped there */
    }
    return 1;
}

const uint8_t *cw_build_id(size_t *n) {
    struct id id = {0};
    dl_iterate_phdr(find_note, &id);
    *n = id.n;
    return id.at;
}
