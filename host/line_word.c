/* Escapes words of lines: bytes that separate words or end lines become %XX. See line_word.h. */
#include "host/line_word.h"

#include <string.h>

static bool is_plain(unsigned char byte)
{
    return byte > ' ' && byte != '%' && byte != 0x7F;
}

void line_word_print(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        fprintf(out, is_plain(byte) ? "%c" : "%%%02X", byte);
    }
}

/* "" at the end of the line, so that a line with too few words is found wrong by its words. */
char *line_word_next(char **rest)
{
    static char none[] = "";
    char *word = strsep(rest, " ");
    return word ? word : none;
}

static int hex_value(char digit)
{
    const char *digits = "0123456789ABCDEF";
    const char *found = digit != '\0' ? strchr(digits, digit) : NULL;
    return found ? (int)(found - digits) : -1;
}

/* In place: decoding only shortens. %00 is refused, since it would end the text. */
bool line_word_read(char *word)
{
    char *to = word;
    for (const char *from = word; *from != '\0'; from++) {
        int byte = (unsigned char)*from;
        if (byte == '%') {
            int high = hex_value(from[1]);
            int low = high < 0 ? -1 : hex_value(from[2]);
            if (low < 0 || high + low == 0) {
                return false;
            }
            byte = high * 16 + low;
            from += 2;
        }
        *to++ = (char)byte;
    }
    *to = '\0';
    return true;
}
