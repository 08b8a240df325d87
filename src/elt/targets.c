/* Whom the stubs call. */
#include "elt/elt.h"

#include <assert.h>
#include <stddef.h>

#include "elt/targets.h"

struct elt_targets elt_targets;

static_assert(offsetof(struct elt_targets, on) == ELT_ON, "on");
static_assert(offsetof(struct elt_targets, enter1) == ELT_ENTER1, "enter1");
static_assert(offsetof(struct elt_targets, leave1) == ELT_LEAVE1, "leave1");
static_assert(offsetof(struct elt_targets, tailcall1) == ELT_TAILCALL1, "tailcall1");
static_assert(offsetof(struct elt_targets, enter2) == ELT_ENTER2, "enter2");
static_assert(offsetof(struct elt_targets, leave2) == ELT_LEAVE2, "leave2");
static_assert(offsetof(struct elt_targets, tailcall2) == ELT_TAILCALL2, "tailcall2");
static_assert(offsetof(struct elt_targets, enter3) == ELT_ENTER3, "enter3");
static_assert(offsetof(struct elt_targets, leave3) == ELT_LEAVE3, "leave3");
static_assert(offsetof(struct elt_targets, tailcall3) == ELT_TAILCALL3, "tailcall3");
