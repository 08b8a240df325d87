/* The stock inspector's assemblies, the full one and the small one, as bytes of the command: it needs no file of its own to be
 * installed. */
#include "host/object_file.h"

    READ_ONLY_DATA
    .balign 16
    .global SYMBOL(stock_inspector)
    .global SYMBOL(stock_inspector_size)
SYMBOL(stock_inspector):
    .incbin "data/inspector/MyProfiler.dll"
stock_inspector_end:
    .balign 4
SYMBOL(stock_inspector_size):
    .long stock_inspector_end - SYMBOL(stock_inspector)
    .global SYMBOL(small_inspector)
    .global SYMBOL(small_inspector_size)
    .balign 16
SYMBOL(small_inspector):
    .incbin "data/inspector/small/MyProfiler.dll"
small_inspector_end:
    .balign 4
SYMBOL(small_inspector_size):
    .long small_inspector_end - SYMBOL(small_inspector)
    END_OF_DATA
