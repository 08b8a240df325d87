/* The two notations of a value: text, and JSON as data/line.schema.json has it. A writer of values
 * calls functions for structures, at their begin and end; numbers, dates and names are written
 * between scalar_begin() and scalar_end(), the same for both.
 *
 *            text                       JSON
 *   mark     {...}, {cycle}             {"$":"..."}
 *   object   Person {Name="x", ...}     {"$type":"Person","Name":"x","$more":true}
 *   elements [9: 1, 2, ...], [3: ...]   [1,2], {"$count":9,"$items":[1,2]}, {"$count":3}
 *   list     (1, 2), Circle(2.5)        [1,2], {"$case":"Circle","$fields":[2.5]}
 *   pair     "a"=1                      {"$key":"a","$value":1}
 *   methods  Func {N.C::A}, {2: A, B}   {"$type":"Func","$methods":["N.C::A"]}
 *
 * JSON stays complete if the line is full: closing brackets are written into a reserve. */
#ifndef ILPI_VALUES_NOTATION_H
#define ILPI_VALUES_NOTATION_H

#include "values/writer.h"

/* The size of the reserve. */
enum { NOTATION_RESERVE = 1024 };

void put_null(struct value_writer *writer);

/* "...", "cycle", "redacted". */
void put_mark(struct value_writer *writer, const char *what);
void put_mark_of_elements(struct value_writer *writer, const char *what);

/* For an object inside another value: before its mark or its fields. `plain_size` is the size of a
 * plain name (line.h), and else 0. */
void put_type_name(struct value_writer *writer, const char *name, uint32_t plain_size);

/* A literal is `true` or `false`; a number is a JSON number if every reader preserves it. */
enum scalar { SCALAR_LITERAL, SCALAR_WORD, SCALAR_INTEGER, SCALAR_REAL };
size_t scalar_begin(struct value_writer *writer);
void scalar_end(struct value_writer *writer, size_t begin, enum scalar scalar);

/* A string, of UTF-16. */
void put_text(struct value_writer *writer, const uint8_t *utf16, int32_t length);
/* The same for a text of which only that much was counted, which is more than is ever shown. */
void put_text_at_least(struct value_writer *writer, const uint8_t *utf16, int32_t length);

void object_begin(struct value_writer *writer);
/* False: there is no room, do not write its value. */
bool object_member(struct value_writer *writer, const char *name, bool first);
bool object_field(struct value_writer *writer, const struct shape_field *field, bool first);
void object_end(struct value_writer *writer, bool more);

/* The elements of a collection, one by one. */
struct elements {
    struct value_writer *writer;
    int32_t count, shown; /* announced, of which fewer may be found; begun */
    unsigned depth;
    bool wrapped; /* in JSON: inside an object with their number */
};

/* `lengths` are those of an array with several indexes; otherwise it is the count. `at_least`:
 * there are more than that. False: write no elements, and do not end. */
bool elements_begin(struct elements *elements, int32_t count, bool at_least, const int32_t *lengths,
                    unsigned rank);
/* Whether to write one more. */
bool elements_next(struct elements *elements);
/* Not all elements need have been found. */
void elements_end(struct elements *elements);

/* The items of a tuple or, with a name, of a union case. */
void list_begin(struct value_writer *writer, const char *name);
void list_next(struct value_writer *writer, bool first);
void list_more(struct value_writer *writer);
void list_end(struct value_writer *writer, const char *name);

/* The methods of a delegate, with list_next() between them; `more`: not all are shown. */
void methods_begin(struct value_writer *writer, int32_t count);
void methods_end(struct value_writer *writer, bool more);

void pair_begin(struct value_writer *writer);
void pair_between(struct value_writer *writer);
void pair_end(struct value_writer *writer);

#endif
