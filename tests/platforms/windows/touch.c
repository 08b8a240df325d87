/* Makes the files that are named, as touch does; without a name, what `true` does. */
#include <stdio.h>

int main(int count, char **names)
{
    int wrong = 0;
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(names[i], "ab");
        wrong += !file || fclose(file) != 0;
    }
    return wrong != 0;
}
