/* What string.h lacks on Windows. See ports/windows/include/string.h. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* For short parts: searches for their first byte. */
void *memmem(const void *bytes, size_t size, const void *part, size_t part_size)
{
    const uint8_t *at = bytes, *first = part;
    if (part_size == 0) {
        return (void *)(uintptr_t)bytes;
    }
    while (size >= part_size) {
        const uint8_t *found = memchr(at, *first, size - part_size + 1);
        if (!found) {
            return NULL;
        }
        if (memcmp(found, part, part_size) == 0) {
            return (void *)(uintptr_t)found;
        }
        size -= (size_t)(found - at) + 1;
        at = found + 1;
    }
    return NULL;
}

void *memrchr(const void *bytes, int c, size_t size)
{
    const uint8_t *start = bytes;
    while (size != 0) {
        if (start[--size] == (uint8_t)c) {
            return (void *)(uintptr_t)(start + size);
        }
    }
    return NULL;
}

/* The asm might read them, so the compiler must write them. */
void explicit_bzero(void *bytes, size_t size)
{
    memset(bytes, 0, size);
    __asm__ volatile("" : : "r"(bytes) : "memory");
}

char *strndup(const char *text, size_t size)
{
    size = strnlen(text, size);
    char *copy = malloc(size + 1);
    if (copy) {
        memcpy(copy, text, size);
        copy[size] = '\0';
    }
    return copy;
}

char *strchrnul(const char *text, int c)
{
    const char *found = strchr(text, c);
    return (char *)(uintptr_t)(found ? found : text + strlen(text));
}

char *strsep(char **text, const char *between)
{
    char *word = *text;
    if (word) {
        char *end = word + strcspn(word, between);
        *text = *end != '\0' ? end + 1 : NULL;
        *end = '\0';
    }
    return word;
}

char *strcasestr(const char *text, const char *part)
{
    size_t size = strlen(part);
    for (; *text; text++) {
        if (strncasecmp(text, part, size) == 0) {
            return (char *)(uintptr_t)text;
        }
    }
    return size == 0 ? (char *)(uintptr_t)text : NULL;
}

void *reallocarray(void *items, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(items, count * size);
}

/* strerror() with Linux' texts, by which messages are known, where Windows' differ. */
char *port_strerror(int error)
{
    static const struct {
        int number;
        const char *text;
    } texts[] = {
        {ETXTBSY, "another process has it open and does not share it: close that program first"},
        {EKEYREJECTED, "Key was rejected by service"},
        {ENOTSUP, "Operation not supported"},
        {EXDEV, "Invalid cross-device link"},
        {EILSEQ, "Invalid or incomplete multibyte or wide character"},
        {ENOMEM, "Cannot allocate memory"},
        {EIO, "Input/output error"},
        {EWOULDBLOCK, "Resource temporarily unavailable"},
        {ENAMETOOLONG, "File name too long"},
        {ENOTEMPTY, "Directory not empty"},
        {EROFS, "Read-only file system"},
        {EBADMSG, "Bad message"},
        {ETIMEDOUT, "Connection timed out"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].number == error) {
            return (char *)(uintptr_t)texts[i].text;
        }
    }
#undef strerror
    return strerror(error);
}
