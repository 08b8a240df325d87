/* Requests to two processes of the service (Shop.cs), over connections that stay; each answer is
 * compared with the one that the first process gives, before anything is measured.
 *
 *   load PORT PATH pairs OTHER SECONDS COUNT    COUNT times four turns of SECONDS each: PORT,
 *                                               OTHER, OTHER, PORT; as many requests as are
 *                                               answered
 *   load PORT PATH steady OTHER SECONDS RATE    RATE requests a second to OTHER
 *
 * Requests are for PATH/1 to PATH/100 in turn. `pairs` prints a line for each four turns: requests,
 * then requests a second, the median and the 99th percentile of the latency in µs, of PORT and of
 * OTHER. A steady request is due at a fixed time, independent of earlier ones, and its latency
 * counts from then on: so requests that a pause delays are not left out. There is a line for each
 * bound of `bounds`: the bound in ms, and how many requests took at most that long, but longer than
 * the previous bound. The last line of both is "wrong N": answers that differ. Exit code 1: a
 * connection broke. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 16, PAGES = 100, ANSWER = 1 << 16 };

struct text {
    char *bytes;
    size_t size;
};

struct connection {
    int file;
    bool waits;
    int page;
    double since; /* µs */
    size_t size;
    char answer[ANSWER];
};

struct server {
    struct connection connections[CONNECTIONS];
    struct text requests[PAGES];
};

/* Latencies of a turn, µs. */
struct latencies {
    double *items;
    size_t count, capacity;
};

static struct text expected[PAGES];
static long wrong;

static void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "load: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(1);
}

static void *need(void *memory)
{
    return memory ? memory : (die("no memory"), NULL);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* ---- connections ---- */

static void connect_to(struct server *server, int port, const char *path)
{
    for (size_t i = 0; i < CONNECTIONS; i++) {
        struct connection *connection = &server->connections[i];
        struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)port),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        connection->file = socket(AF_INET, SOCK_STREAM, 0);
        if (connection->file < 0 ||
            connect(connection->file, (struct sockaddr *)&address, sizeof address) != 0) {
            die("port %d: %s", port, strerror(errno));
        }
        setsockopt(connection->file, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        fcntl(connection->file, F_SETFL, O_NONBLOCK);
    }
    for (size_t i = 0; i < PAGES; i++) {
        char request[512];
        int size = snprintf(request, sizeof request,
                            "GET /%s/%zu HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", path, i + 1,
                            port);
        server->requests[i] = (struct text){need(strdup(request)), (size_t)size};
    }
}

static void request(struct server *server, struct connection *connection, int page, double since)
{
    const struct text *text = &server->requests[page];
    if (write(connection->file, text->bytes, text->size) != (ssize_t)text->size) {
        die("cannot send: %s", strerror(errno));
    }
    connection->waits = true;
    connection->page = page;
    connection->since = since;
    connection->size = 0;
}

/* The body of a chunked answer; false: it is not complete. */
static bool join_chunks(const char *at, const char *end, struct text *body)
{
    static char bytes[ANSWER];
    *body = (struct text){bytes, 0};
    for (;;) {
        char *data;
        const char *line = memmem(at, (size_t)(end - at), "\r\n", 2);
        size_t size = line ? strtoul(at, &data, 16) : 0;
        if (!line || (size_t)(end - line) < size + 4) {
            return false;
        }
        memcpy(bytes + body->size, line + 2, size);
        body->size += size;
        at = line + 2 + size + 2;
        if (size == 0) {
            return true;
        }
    }
}

/* The body, once all of the answer has arrived; NULL bytes for a malformed answer. */
static bool is_complete(struct connection *connection, bool *good, struct text *body)
{
    static const char length_is[] = "Content-Length: ";
    char *end = connection->answer + connection->size;
    char *head_end = memmem(connection->answer, connection->size, "\r\n\r\n", 4);
    if (!head_end) {
        return false;
    }
    size_t head = (size_t)(head_end - connection->answer);
    char *start = head_end + 4;
    char *length = memmem(connection->answer, head, length_is, sizeof length_is - 1);
    *good = memcmp(connection->answer, "HTTP/1.1 200 ", 13) == 0;
    if (!length) {
        return join_chunks(start, end, body);
    }
    *body = (struct text){start, strtoul(length + sizeof length_is - 1, NULL, 10)};
    return (size_t)(end - start) >= body->size;
}

/* True: the answer has arrived, and was compared. */
static bool receive(struct connection *connection)
{
    ssize_t got = read(connection->file, connection->answer + connection->size,
                       sizeof connection->answer - 1 - connection->size);
    if (got < 0 && errno == EAGAIN) {
        return false;
    }
    if (got <= 0) {
        die("a connection ended: %s", got < 0 ? strerror(errno) : "closed");
    }
    connection->size += (size_t)got;
    connection->answer[connection->size] = '\0';
    bool good = false;
    struct text body;
    if (!is_complete(connection, &good, &body)) {
        return false;
    }
    struct text *known = &expected[connection->page];
    if (!known->bytes) { /* the expected answer */
        *known = (struct text){need(malloc(body.size + 1)), body.size};
        memcpy(known->bytes, body.bytes, body.size);
        good = good && body.size != 0;
    }
    wrong += !good || known->size != body.size || memcmp(known->bytes, body.bytes, body.size) != 0;
    connection->waits = false;
    return true;
}

/* Waits for answers, at most so many µs; < 0: without a limit. */
static void wait_for_any(struct server *server, struct pollfd files[CONNECTIONS], double time)
{
    for (size_t i = 0; i < CONNECTIONS; i++) {
        files[i] = (struct pollfd){.fd = server->connections[i].file, .events = POLLIN};
    }
    struct timespec limit = {(time_t)(time / 1e6), (long)(time * 1e3) % 1000000000};
    if (ppoll(files, CONNECTIONS, time < 0 ? NULL : &limit, NULL) < 0 && errno != EINTR) {
        die("poll: %s", strerror(errno));
    }
}

static void finish(struct server *server)
{
    for (size_t i = 0; i < CONNECTIONS; i++) {
        struct connection *connection = &server->connections[i];
        while (connection->waits) {
            poll(&(struct pollfd){.fd = connection->file, .events = POLLIN}, 1, -1);
            receive(connection);
        }
    }
}

static void learn(struct server *server)
{
    for (int page = 0; page < PAGES; page++) {
        request(server, &server->connections[0], page, 0);
        finish(server);
    }
    if (wrong != 0) {
        die("the first process has %ld answers that are no pages", wrong);
    }
}

/* ---- as many as are answered ---- */

static void note(struct latencies *latencies, double latency)
{
    if (latencies->count == latencies->capacity) {
        latencies->capacity = latencies->capacity ? 2 * latencies->capacity : 1 << 16;
        latencies->items =
            need(realloc(latencies->items, latencies->capacity * sizeof *latencies->items));
    }
    latencies->items[latencies->count++] = latency;
}

/* One turn; returns the time it took, µs. */
static double turn(struct server *server, double seconds, struct latencies *latencies)
{
    static int page;
    struct pollfd files[CONNECTIONS];
    double begin = now();
    double time = begin;
    for (size_t i = 0; i < CONNECTIONS; i++) {
        request(server, &server->connections[i], page++ % PAGES, begin);
    }
    while (time < begin + seconds * 1e6) {
        wait_for_any(server, files, -1);
        for (size_t i = 0; i < CONNECTIONS; i++) {
            struct connection *connection = &server->connections[i];
            if (files[i].revents != 0 && receive(connection)) {
                time = now();
                note(latencies, time - connection->since);
                request(server, connection, page++ % PAGES, time);
            }
        }
    }
    page %= PAGES;
    finish(server);
    return time - begin;
}

static int compare(const void *first, const void *second)
{
    double a = *(const double *)first;
    double b = *(const double *)second;
    return (a > b) - (a < b);
}

static double part_of(const struct latencies *latencies, double part)
{
    return latencies->items[(size_t)((double)(latencies->count - 1) * part)];
}

static void measure_pairs(struct server *servers, double seconds, long count)
{
    static const int order[] = {0, 1, 1, 0};
    struct latencies latencies[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    for (long i = 0; i < count; i++) {
        double time[2] = {0, 0};
        latencies[0].count = latencies[1].count = 0;
        for (size_t j = 0; j < sizeof order / sizeof order[0]; j++) {
            time[order[j]] += turn(&servers[order[j]], seconds, &latencies[order[j]]);
        }
        printf("%zu", latencies[1].count);
        for (int j = 0; j < 2; j++) {
            qsort(latencies[j].items, latencies[j].count, sizeof *latencies[j].items, compare);
            printf(" %.1f %.1f %.1f", (double)latencies[j].count / time[j] * 1e6,
                   part_of(&latencies[j], 0.5), part_of(&latencies[j], 0.99));
        }
        printf("\n");
    }
    free(latencies[0].items);
    free(latencies[1].items);
}

/* ---- at a steady rate ---- */

static const double bounds[] = {0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 1e9};

#define BOUNDS (sizeof bounds / sizeof bounds[0])

static void measure_steady(struct server *server, double seconds, double rate)
{
    long counts[BOUNDS] = {0};
    long all = (long)(seconds * rate);
    long sent = 0;
    long answered = 0;
    struct pollfd files[CONNECTIONS];
    double begin = now();
    while (answered < all) {
        for (size_t i = 0; i < CONNECTIONS; i++) {
            struct connection *connection = &server->connections[i];
            double due = begin + (double)sent / rate * 1e6;
            if (!connection->waits && sent < all && due <= now()) {
                request(server, connection, (int)(sent++ % PAGES), due);
            }
        }
        bool is_free = false;
        for (size_t i = 0; i < CONNECTIONS; i++) {
            is_free = is_free || !server->connections[i].waits;
        }
        double left = begin + (double)sent / rate * 1e6 - now();
        wait_for_any(server, files, !is_free || sent == all ? -1 : left < 0 ? 0 : left);
        for (size_t i = 0; i < CONNECTIONS; i++) {
            struct connection *connection = &server->connections[i];
            if (files[i].revents != 0 && receive(connection)) {
                double latency = (now() - connection->since) / 1e3;
                size_t bound = 0;
                while (latency > bounds[bound]) {
                    bound++;
                }
                counts[bound]++;
                answered++;
            }
        }
    }
    for (size_t i = 0; i < BOUNDS; i++) {
        printf("%g %ld\n", bounds[i], counts[i]);
    }
}

int main(int argc, char **argv)
{
    static struct server servers[2];
    bool pairs = argc == 7 && strcmp(argv[3], "pairs") == 0;
    if (argc != 7 || (!pairs && strcmp(argv[3], "steady") != 0)) {
        die("PORT PATH pairs|steady OTHER SECONDS COUNT|RATE");
    }
    connect_to(&servers[0], atoi(argv[1]), argv[2]);
    connect_to(&servers[1], atoi(argv[4]), argv[2]);
    learn(&servers[0]);
    if (pairs) {
        measure_pairs(servers, atof(argv[5]), atol(argv[6]));
    } else {
        measure_steady(&servers[1], atof(argv[5]), atof(argv[6]));
    }
    printf("wrong %ld\n", wrong);
    return 0;
}
