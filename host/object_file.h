/* Names that assembler files with data need, by object file format: ELF's. */
#define READ_ONLY_DATA .section .rodata
#define SYMBOL(name)   name
#define END_OF_DATA    .section .note.GNU-stack, "", %progbits
