// Row sizes by System.Reflection.Metadata, for metadata that has nothing but row counts and zeros.
//
// Printed are: each table's row size when all tables have one row and all heaps are small; the same with
// large heaps; and, for each table alone with 2^11 .. 2^16 rows and one less, which tables' rows get wider:
// so every simple and every coded index is seen to refer to the right tables and to grow at the right count.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

static unsafe class TableFacts
{
    // Those for processors and operating systems, which no compiler writes (II.22.3, 4, 6, 7), the reader refuses.
    static readonly int[] Tables = Enum.GetValues<TableIndex>().Select(t => (int)t).Order()
        .Where(t => t is not ((int)TableIndex.AssemblyProcessor or (int)TableIndex.AssemblyOS
                              or (int)TableIndex.AssemblyRefProcessor or (int)TableIndex.AssemblyRefOS)).ToArray();

    public static void Print()
    {
        foreach (TableIndex table in Enum.GetValues<TableIndex>().Order()) {
            Console.WriteLine($"{(int)table:X2} {Name(table)}");
        }
        int[] small = RowSizes(0, -1, 1);
        foreach (int heaps in new[] { 0, 1, 2, 4, 7 }) {
            Console.WriteLine($"heaps {heaps}: {string.Join(" ", RowSizes(heaps, -1, 1))}");
        }
        foreach (int table in Tables) {
            // A table of pointers is as long as what it points to: see below.
            if (PointedTo((TableIndex)table) >= 0) {
                continue;
            }
            foreach (int bits in new[] { 11, 13, 14, 15, 16 }) {
                foreach (int rows in new[] { (1 << bits) - 1, 1 << bits }) {
                    int[] sizes = RowSizes(0, table, rows);
                    var wider = Enumerable.Range(0, Tables.Length).Where(i => sizes[i] != small[i])
                                          .Select(i => $"{Name((TableIndex)Tables[i])}+{sizes[i] - small[i]}");
                    Console.WriteLine($"{rows} rows in {Name((TableIndex)table)}: {string.Join(" ", wider)}");
                }
            }
        }
    }

    // The words of ECMA-335 and of the Portable PDB format, where .NET's enum has others.
    static string Name(TableIndex table) => table switch {
        TableIndex.EncLog => "ENCLog",
        TableIndex.EncMap => "ENCMap",
        TableIndex.FieldRva => "FieldRVA",
        _ => table.ToString()
    };

    // FieldPtr and its like are indirections: lists then index them, and no module has more of one than of the other.
    static int PointedTo(TableIndex table) => table switch {
        TableIndex.FieldPtr => (int)TableIndex.Field,
        TableIndex.MethodPtr => (int)TableIndex.MethodDef,
        TableIndex.ParamPtr => (int)TableIndex.Param,
        TableIndex.EventPtr => (int)TableIndex.Event,
        TableIndex.PropertyPtr => (int)TableIndex.Property,
        _ => -1
    };

    // Row sizes in the order of Tables; `large` has `rows` rows, all others one.
    static int[] RowSizes(int heaps, int large, int rows)
    {
        const int root = 16 + 12 + 4 + 12 + 20, roomPerRow = 64;
        int streamHeader = 24 + 4 * Tables.Length;
        int streamSize = streamHeader + roomPerRow * (2 * rows + Tables.Length);
        var bytes = new byte[root + streamSize];
        fixed (byte* start = bytes) {
            byte* p = start;
            U32(ref p, 0x424A5342); // BSJB (II.24.2.1)
            U32(ref p, 0x00010001);
            U32(ref p, 0);
            U32(ref p, 12);
            Text(ref p, "v4.0.30319\0\0");
            U32(ref p, 1 << 16); // flags, one stream
            // `#-`, since the compressed form allows no pointer tables.
            U32(ref p, (uint)(p + 12 - start));
            U32(ref p, (uint)(bytes.Length - (p + 8 - start)));
            Text(ref p, "#-\0\0");

            U32(ref p, 0);
            U32(ref p, (uint)(2 | heaps << 16 | 1 << 24)); // version 2.0, heap sizes, reserved
            ulong valid = Tables.Aggregate(0UL, (mask, table) => mask | 1UL << table);
            U32(ref p, (uint)valid);
            U32(ref p, (uint)(valid >> 32));
            U32(ref p, 0xFFFFFFFF); // sorted, as rows of zeros are
            U32(ref p, 0xFFFFFFFF);
            foreach (int table in Tables) {
                bool grown = table == large || large >= 0 && PointedTo((TableIndex)table) == large;
                U32(ref p, grown ? (uint)rows : 1);
            }
            var reader = new MetadataReader(start, bytes.Length);
            return Tables.Select(t => reader.GetTableRowSize((TableIndex)t)).ToArray();
        }
    }

    static void U32(ref byte* p, uint value)
    {
        *(uint*)p = value;
        p += 4;
    }

    static void Text(ref byte* p, string text)
    {
        foreach (char c in text) {
            *p++ = (byte)c;
        }
    }
}
