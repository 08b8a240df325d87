/* The file of --id-map: what the ids mean that inspectors get (docs/INSPECTORS.md, Ids). A line for
 * each, as JSON:
 *
 *   {"id": 4395630594, "module": "Shop.exe", "mvid": "...", "token": "0x06000002", "name": "...",
 *   "signature": "..."}
 *
 * An id is the module's number << 32 | the method's token. A module is known by its name and MVID,
 * and keeps its number from one run to the next; another one gets the next number. So one file
 * serves all that runs together. */
#ifndef ID_MAP_H
#define ID_MAP_H

#include "host/tool.h"
#include "host/transaction.h"

struct id_map;

/* Reads the file, if it is there. On failure it has been reported and the exit code is returned. */
enum exit_code id_map_open(struct id_map **map, const char *path);
void id_map_close(struct id_map *map); /* NULL is allowed */

/* Begins a module, borrowed until the next one: the number for struct ilp_request, 0 if there are
 * too many, or no memory: then nothing is written any more. What was added for the one before and
 * not written is forgotten. */
uint32_t id_map_module(struct id_map *map, struct ilp_image *image);

/* The same for several modules at a time: each keeps the number that it is given here, written or
 * not. */
uint32_t id_map_reserve(struct id_map *map, struct ilp_image *image);

/* Adds an id of this module, or finds it there. Without memory for it nothing is written any
 * more. */
void id_map_add(struct id_map *map, int64_t id);

/* Keeps other runs from changing the file until the transaction ends, and reads what they have
 * added to it: the modules that follow are known by that. What is wrong has been reported. */
enum exit_code id_map_begin(struct id_map *map, struct transaction *changes);

/* Puts the file with what was added into a transaction; does nothing if that is nothing. Refuses,
 * so that no number gets two meanings, if the file has changed since it was read, or if an id of
 * this module means another method there. What is wrong has been reported. */
enum exit_code id_map_put(struct id_map *map, struct transaction *changes);

/* The transaction has ended: what was put is in the file now, or is forgotten. */
void id_map_settle(struct id_map *map, bool committed);

/* All of that, for one who has no transaction. After a failure nothing is written any more. */
enum exit_code id_map_write(struct id_map *map);

#endif
