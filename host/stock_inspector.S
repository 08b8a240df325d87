/* The stock inspector's assemblies, the full one and the small one, as bytes of the command: it needs no file of its own to be
 * installed. */
    .section .rodata
    .balign 16
    .global stock_inspector
    .global stock_inspector_size
stock_inspector:
    .incbin "data/inspector/MyProfiler.dll"
stock_inspector_end:
    .balign 4
stock_inspector_size:
    .long stock_inspector_end - stock_inspector
    .global small_inspector
    .global small_inspector_size
    .balign 16
small_inspector:
    .incbin "data/inspector/small/MyProfiler.dll"
small_inspector_end:
    .balign 4
small_inspector_size:
    .long small_inspector_end - small_inspector
    .section .note.GNU-stack,"",%progbits
