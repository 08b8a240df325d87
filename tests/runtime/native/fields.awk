# Fields of generated structs, for structs.awk and tests/proof/program.awk: types[0] to types[fields - 1], and what is in them.

BEGIN { split("byte short int long float double byte int byte double short long", cycle, " ") }

# The i-th field's value in a struct called n.
function number(type, n, i) {
    if (type == "byte") return sprintf("0x%02x", (n * 37 + i * 11 + 1) % 256)
    if (type == "short") return sprintf("0x%04x", 0x1100 + n * 64 + i)
    if (type == "int") return sprintf("0x%08x", 0x21436587 + n * 65536 + i)
    if (type == "long") return sprintf("0x%08x%08xL", 0x10325476 + n * 65536 + i, 0x12efcdab + i)
    if (type == "float") return sprintf("%d.%df", n * 100 + i + 1, i * 2 + 25)
    if (type == "double") return sprintf("%d.%d", -(n * 1000 + i + 1), i * 2 + 125)
    return i % 2 ? "Pinned.Boxed" : "Pinned.Text"
}

function add(type) { types[fields++] = type }

# What fills n bytes: the widest first, so that all are where their alignment wants them though the struct is packed.
function fill(n, wide, middle, small) {
    for (; n >= 8; n -= 8) add(wide)
    for (; n >= 4; n -= 4) add(middle)
    if (small != "") for (; n >= 2; n -= 2) add(small)
    for (; n >= 1; n -= 1) add("byte")
}
