/* For assembler files with data: the sections of PE object files. On x86, C's names have a leading
 * underscore. */
#define READ_ONLY_DATA          .section .rdata, "dr"
#define PORT_JOIN(prefix, name) prefix##name
#define PORT_SYMBOL(prefix, name) PORT_JOIN(prefix, name)
#define SYMBOL(name)            PORT_SYMBOL(__USER_LABEL_PREFIX__, name)
#define END_OF_DATA
