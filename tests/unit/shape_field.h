/* Fields of shapes that a test makes itself. */
#ifndef SHAPE_FIELD_H
#define SHAPE_FIELD_H

#include "values/kinds.h"

/* A field that is no secret. */
#define FIELD(name_, offset_, shape_)                           \
    {                                                           \
        .name = (name_), .offset = (offset_), .shape = (shape_) \
    }

#endif
