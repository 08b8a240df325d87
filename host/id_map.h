/* The file of --id-map: the methods of the ids that inspectors get (docs/INSPECTION.md, Ids). A
 * line for each, as JSON:
 *
 *   {"schema": 1, "id": 4395630594, "module": "Shop.exe", "mvid": "...", "token": "0x06000002",
 *    "name": "...", "signature": "..."}
 *
 * An id is the module's number << 32 | the method's token. A module is known by its name and MVID,
 * and keeps its number from one run to the next; another one gets the next number. So one file
 * serves all that runs together. */
#ifndef ID_MAP_H
#define ID_MAP_H

#include "host/tool.h"
#include "host/transaction.h"

struct id_map;

/* Reads the file, if it exists. Failures are reported, and the exit code is returned. */
enum exit_code id_map_open(struct id_map **map, const char *path);
void id_map_close(struct id_map *map); /* NULL is allowed */

/* Begins a module, borrowed until the next one: returns the number for struct ilp_request, 0 if
 * there are too many, or no memory: then nothing is written any more. Unwritten ids of the previous
 * module are dropped. */
uint32_t id_map_module(struct id_map *map, struct ilp_image *image);

/* The same for several modules at a time: each keeps the number returned here, written or not. */
uint32_t id_map_reserve(struct id_map *map, struct ilp_image *image);

/* Adds an id of this module, unless it exists. Without memory for it nothing is written any
 * more. */
void id_map_add(struct id_map *map, int64_t id);

/* Locks the file against other runs until the transaction ends, and reads what they have added to
 * it: later modules get numbers accordingly. Errors are reported. */
enum exit_code id_map_begin(struct id_map *map, struct transaction *changes);

/* Adds the extended file to a transaction; no-op without new ids. So that no id gets two meanings,
 * it refuses if the file has changed since it was read, or if it has another method for an id of
 * this module. Errors are reported. */
enum exit_code id_map_put(struct id_map *map, struct transaction *changes);

/* Call after the transaction: the new ids are in the file now, or are dropped. */
void id_map_settle(struct id_map *map, bool committed);

/* All of that, for callers without a transaction. After a failure nothing is written any more. */
enum exit_code id_map_write(struct id_map *map);

#endif
