// Compares all tables and heaps of two modules, row by row and column by column.
//
// What holds for a patched module: every old row is still there under its old rid and says the same; new rows
// follow the old ones, and only in tables that a call needs; sorted tables are sorted; what the heaps held
// they hold at the same offsets. May differ: MethodDef.RVA (bodies moved; Bodies.cs compares them) and
// Module.Mvid (derived again).
//
// The columns are written down here once more (ECMA-335 II.22), so that a mistake in ilpatch's own tables does
// not hide itself; the row sizes that follow from them are checked against System.Reflection.Metadata.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

// Which tables have new rows.
enum Growth { None, Calls, All }

sealed unsafe class Tables
{
    // number, name, columns: 2 and 4 are numbers of that many bytes; a name is a table or a coded index;
    // * after the column means: a sorted table's key.
    static readonly string[] Shapes = {
        "00 Module 2 str guid guid guid", "01 TypeRef ResolutionScope str str",
        "02 TypeDef 4 str str TypeDefOrRef Field Method", "03 FieldPtr Field", "04 Field 2 str blob",
        "05 MethodPtr Method", "06 Method 4 2 2 str blob Param", "07 ParamPtr Param", "08 Param 2 2 str",
        "09 InterfaceImpl TypeDef* TypeDefOrRef", "0A MemberRef MemberRefParent str blob",
        "0B Constant 2 HasConstant* blob", "0C CustomAttribute HasCustomAttribute* CustomAttributeType blob",
        "0D FieldMarshal HasFieldMarshal* blob", "0E DeclSecurity 2 HasDeclSecurity* blob",
        "0F ClassLayout 2 4 TypeDef*", "10 FieldLayout 4 Field*", "11 StandAloneSig blob",
        "12 EventMap TypeDef Event", "13 EventPtr Event", "14 Event 2 str TypeDefOrRef",
        "15 PropertyMap TypeDef Property", "16 PropertyPtr Property", "17 Property 2 str blob",
        "18 MethodSemantics 2 Method HasSemantics*", "19 MethodImpl TypeDef* MethodDefOrRef MethodDefOrRef",
        "1A ModuleRef str", "1B TypeSpec blob", "1C ImplMap 2 MemberForwarded* str ModuleRef",
        "1D FieldRVA 4 Field*", "1E EncLog 4 4", "1F EncMap 4", "20 Assembly 4 2 2 2 2 4 blob str str",
        "21 AssemblyProcessor 4", "22 AssemblyOS 4 4 4", "23 AssemblyRef 2 2 2 2 4 blob str str blob",
        "24 AssemblyRefProcessor 4 AssemblyRef", "25 AssemblyRefOS 4 4 4 AssemblyRef", "26 File 4 str blob",
        "27 ExportedType 4 4 str str Implementation", "28 ManifestResource 4 4 str Implementation",
        "29 NestedClass TypeDef* TypeDef", "2A GenericParam 2 2 TypeOrMethodDef* str",
        "2B MethodSpec MethodDefOrRef blob", "2C GenericParamConstraint GenericParam* TypeDefOrRef",
    };

    // name, tag bits, the tables by tag (- for a tag that is not used).
    static readonly string[] CodedIndexes = {
        "TypeDefOrRef 2 TypeDef TypeRef TypeSpec", "HasConstant 2 Field Param Property",
        "HasCustomAttribute 5 Method Field TypeRef TypeDef Param InterfaceImpl MemberRef Module DeclSecurity "
            + "Property Event StandAloneSig ModuleRef TypeSpec Assembly AssemblyRef File ExportedType "
            + "ManifestResource GenericParam GenericParamConstraint MethodSpec",
        "HasFieldMarshal 1 Field Param", "HasDeclSecurity 2 TypeDef Method Assembly",
        "MemberRefParent 3 TypeDef TypeRef ModuleRef Method TypeSpec", "HasSemantics 1 Event Property",
        "MethodDefOrRef 1 Method MemberRef", "MemberForwarded 1 Field Method",
        "Implementation 2 File AssemblyRef ExportedType", "CustomAttributeType 3 - - Method MemberRef -",
        "ResolutionScope 2 Module ModuleRef AssemblyRef TypeRef", "TypeOrMethodDef 1 TypeDef Method",
    };

    // Where a call to an inspector and a box may need a row; an embedded inspector has rows in any table.
    static readonly string[] OfCalls = { "TypeRef", "MemberRef", "TypeSpec", "AssemblyRef" };

    sealed class Column
    {
        public string Kind;      // "2" "4" "str" "guid" "blob" "row" "coded"
        public int[] Targets;    // tables
        public int Bits;
        public bool Key;
        public int Offset, Size; // in the row, for one module
    }

    sealed class Table
    {
        public int Number, Rows, RowSize;
        public string Name;
        public byte* Start;
        public Column[] Columns;

        public uint Cell(int rid, int column)
        {
            Column c = Columns[column];
            byte* p = Start + (long)(rid - 1) * RowSize + c.Offset;
            return c.Size == 2 ? (uint)(p[0] | p[1] << 8) : (uint)(p[0] | p[1] << 8 | p[2] << 16 | p[3] << 24);
        }
    }

    readonly MetadataReader reader;
    readonly Report report;
    readonly Table[] tables;

    Tables(MetadataReader reader, Report report)
    {
        this.reader = reader;
        this.report = report;
        var numbers = Shapes.Select(s => s.Split(' ')).ToDictionary(w => w[1], w => Convert.ToInt32(w[0], 16));
        tables = Shapes.Select(shape => Layout(shape.Split(' '), numbers)).ToArray();
    }

    Table Layout(string[] words, Dictionary<string, int> numbers)
    {
        var index = (TableIndex)Convert.ToInt32(words[0], 16);
        var table = new Table {
            Number = (int)index, Name = words[1], Rows = reader.GetTableRowCount(index),
            RowSize = reader.GetTableRowSize(index),
            Start = reader.MetadataPointer + reader.GetTableMetadataOffset(index),
            Columns = words.Skip(2).Select(w => NewColumn(w, numbers)).ToArray()
        };
        int offset = 0;
        foreach (Column column in table.Columns) {
            column.Offset = offset;
            offset += column.Size;
        }
        if (offset != table.RowSize && table.Rows > 0) {
            report.Add($"{table.Name}: {offset} bytes in a row, System.Reflection.Metadata says {table.RowSize}");
        }
        return table;
    }

    Column NewColumn(string word, Dictionary<string, int> numbers)
    {
        var column = new Column { Key = word.EndsWith("*"), Kind = word.TrimEnd('*') };
        if (numbers.TryGetValue(column.Kind, out int target)) {
            column.Targets = new[] { target };
            column.Kind = "row";
        } else if (CodedIndexes.FirstOrDefault(c => c.StartsWith(column.Kind + " ")) is string coded) {
            string[] words = coded.Split(' ');
            column.Bits = int.Parse(words[1]);
            column.Targets = words.Skip(2).Select(w => w == "-" ? -1 : numbers[w]).ToArray();
            column.Kind = "coded";
        }
        column.Size = column.Kind switch {
            "2" => 2,
            "4" => 4,
            "str" => HeapIndexSize(HeapIndex.String),
            "blob" => HeapIndexSize(HeapIndex.Blob),
            "guid" => HeapIndexSize(HeapIndex.Guid),
            _ => column.Targets.All(t => t < 0 || reader.GetTableRowCount((TableIndex)t) < 1 << 16 - column.Bits)
                 ? 2 : 4
        };
        return column;
    }

    // The widths are said by the HeapSizes byte of the tables' stream (II.24.2.6), not by the heaps.
    int HeapIndexSize(HeapIndex heap)
    {
        int bit = heap == HeapIndex.String ? 1 : heap == HeapIndex.Guid ? 2 : 4;
        return (TablesStream()[6] & bit) != 0 ? 4 : 2;
    }

    byte* TablesStream()
    {
        byte* root = reader.MetadataPointer;
        int at = 16 + *(int*)(root + 12);
        int streams = *(ushort*)(root + at + 2);
        at += 4;
        for (int i = 0; i < streams; i++) {
            if (root[at + 8] == '#' && (root[at + 9] == '~' || root[at + 9] == '-') && root[at + 10] == 0) {
                return root + *(int*)(root + at);
            }
            int name = at + 8;
            while (root[name] != 0) {
                name++;
            }
            at = name + 4 - (name - at) % 4;
        }
        throw new BadImageFormatException("no #~");
    }

    public static void Compare(MetadataReader before, MetadataReader after, Growth growth, Report report)
    {
        CompareHeaps(before, after, growth, report);
        var old = new Tables(before, report);
        var patched = new Tables(after, report);
        for (int i = 0; i < Shapes.Length; i++) {
            old.CompareTable(old.tables[i], patched, patched.tables[i], growth);
        }
        patched.CheckOrder();
    }

    // New entries follow the old ones, so that offsets in signatures, attributes and IL keep their meaning.
    // The zeros that fill up a heap's last four bytes are no entries.
    static void CompareHeaps(MetadataReader before, MetadataReader after, Growth growth, Report report)
    {
        foreach (HeapIndex heap in Enum.GetValues<HeapIndex>()) {
            var a = new ReadOnlySpan<byte>(before.MetadataPointer + before.GetHeapMetadataOffset(heap),
                                           before.GetHeapSize(heap));
            var b = new ReadOnlySpan<byte>(after.MetadataPointer + after.GetHeapMetadataOffset(heap),
                                           after.GetHeapSize(heap));
            report.Check(growth != Growth.None || b.Length < a.Length + 4, $"heap {heap} is larger");
            if (heap == HeapIndex.Guid) {
                // The Mvid may be replaced where it is; the rows compare the others.
                report.Check(b.Length >= a.Length, "#GUID is shorter");
            } else {
                report.Check(b.StartsWith(a.TrimEnd((byte)0)), $"heap {heap}: old bytes have changed");
            }
        }
    }

    void CompareTable(Table a, Tables patched, Table b, Growth growth)
    {
        bool grows = growth == Growth.All || growth == Growth.Calls && OfCalls.Contains(a.Name);
        if (b.Rows < a.Rows || b.Rows > a.Rows && !grows) {
            report.Add($"{a.Name}: {a.Rows} rows, now {b.Rows}");
        }
        // Rows of a sorted table have others among them when it has grown.
        bool among = b.Rows > a.Rows && a.Columns.Any(c => c.Key);
        for (int rid = 1, other = 1; rid <= a.Rows && other <= b.Rows; rid++, other++) {
            string difference = RowDifference(a, rid, patched, b, other);
            while (difference != null && among && other + a.Rows - rid < b.Rows) {
                difference = RowDifference(a, rid, patched, b, ++other);
            }
            report.Check(difference == null, $"{a.Name} row {rid}, {difference}");
        }
    }

    // The first column that says something else, and what; null: none.
    string RowDifference(Table a, int rid, Tables patched, Table b, int other)
    {
        for (int c = 0; c < a.Columns.Length; c++) {
            if (a.Name is "Method" or "FieldRVA" && c == 0 || a.Name == "Module" && c == 2) {
                continue;
            }
            uint x = a.Cell(rid, c), y = b.Cell(other, c);
            // Equal numbers are equal references and, as the heaps only grew, equal contents.
            if (x != y && Text(a.Columns[c], x) != patched.Text(b.Columns[c], y)) {
                return $"column {c}: {Text(a.Columns[c], x)}, now {patched.Text(b.Columns[c], y)}";
            }
        }
        return null;
    }

    string Text(Column column, uint value)
    {
        switch (column.Kind) {
        case "str":
            return reader.GetString(MetadataTokens.StringHandle((int)value));
        case "blob":
            return Convert.ToHexString(reader.GetBlobBytes(MetadataTokens.BlobHandle((int)value)));
        case "guid":
            return value == 0 ? "-" : reader.GetGuid(MetadataTokens.GuidHandle((int)value)).ToString();
        case "coded":
            return $"{column.Targets[(int)(value & (1u << column.Bits) - 1)]:x2}:{value >> column.Bits}";
        default:
            return value.ToString();
        }
    }

    // The Sorted vector (II.24.2.6) is a promise that readers search by.
    void CheckOrder()
    {
        ulong sorted = *(ulong*)(TablesStream() + 16);
        foreach (Table table in tables) {
            int key = Array.FindIndex(table.Columns, c => c.Key);
            if (key < 0 || (sorted >> table.Number & 1) == 0) {
                continue;
            }
            for (int rid = 2; rid <= table.Rows; rid++) {
                if (table.Cell(rid, key) < table.Cell(rid - 1, key)) {
                    report.Add($"{table.Name} is not sorted at row {rid}");
                    break;
                }
            }
        }
    }
}
