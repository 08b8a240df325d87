/* For assembler files with data: what an object file's format calls what they need. ELF's. */
#define READ_ONLY_DATA .section .rodata
#define SYMBOL(name)   name
#define END_OF_DATA    .section .note.GNU-stack, "", %progbits
