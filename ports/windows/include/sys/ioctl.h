/* How wide a terminal is. */
#ifndef PORT_SYS_IOCTL_H
#define PORT_SYS_IOCTL_H

struct winsize {
    unsigned short ws_row;
    unsigned short ws_col;
};

enum { TIOCGWINSZ = 1 };

int ioctl(int file, int request, struct winsize *size);

#endif
