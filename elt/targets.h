/* Offsets of the members of struct elt_targets, for the stubs; targets.c checks them at compile
 * time. */
#ifndef ILPI_ELT_TARGETS_H
#define ILPI_ELT_TARGETS_H

#define ELT_ON            0
#define ELT_VECTOR_BYTES  4
#define ELT_TARGET(index) (8 + (index)*__SIZEOF_POINTER__)
#define ELT_ENTER1        ELT_TARGET(0)
#define ELT_LEAVE1        ELT_TARGET(1)
#define ELT_TAILCALL1     ELT_TARGET(2)
#define ELT_ENTER2        ELT_TARGET(3)
#define ELT_LEAVE2        ELT_TARGET(4)
#define ELT_TAILCALL2     ELT_TARGET(5)
#define ELT_ENTER3        ELT_TARGET(6)
#define ELT_LEAVE3        ELT_TARGET(7)
#define ELT_TAILCALL3     ELT_TARGET(8)

#endif
