/* Which methods the hooks report: those in the file $PROOF_METHODS, whose lines are "token
 * name". */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static bool wanted_rids[1 << 16];

static void read_wanted(void)
{
    const char *path = getenv("PROOF_METHODS");
    FILE *file = path ? fopen(path, "r") : NULL;
    unsigned token;
    while (file && fscanf(file, "%u %*s", &token) == 1) {
        wanted_rids[token & 0xFFFF] = true;
    }
    if (file) {
        fclose(file);
    }
}

static bool is_wanted(uint32_t token)
{
    return token >> 24 == 6 && (token & 0xFFFFFF) <= 0xFFFF && wanted_rids[token & 0xFFFF];
}
