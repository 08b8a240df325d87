// Same ORIGINAL COMPACT: whether the two hold the same, read with System.Reflection.Metadata alone: heaps, rows, bodies,
// data of fields, managed and Win32 resources, debug data. Prints how much was compared; exit code 1 on a difference.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

static class Same
{
    static PEReader before, after;
    static MetadataReader old, now;
    static int bodies, data, resources, leaves, debug;

    static int Main(string[] args)
    {
        before = new PEReader(new MemoryStream(File.ReadAllBytes(args[0])));
        after = new PEReader(new MemoryStream(File.ReadAllBytes(args[1])));
        old = before.GetMetadataReader();
        now = after.GetMetadataReader();
        try
        {
            Rows();
            Bodies();
            Data();
            Resources();
            Win32(Directory(before), Directory(after), 0, 0, 0);
            Debug();
        }
        catch (InvalidDataException different)
        {
            Console.WriteLine(different.Message);
            return 1;
        }
        Console.WriteLine($"{bodies} bodies, {data} data, {resources} resources, {leaves} Win32 resources, {debug} debug entries");
        return 0;
    }

    static void Check(bool same, string what)
    {
        if (!same) throw new InvalidDataException(what + " differs");
    }

    // Rows with all their cells but RVAs; heaps byte for byte.
    static void Rows()
    {
        foreach (TableIndex table in Enum.GetValues<TableIndex>())
            Check(old.GetTableRowCount(table) == now.GetTableRowCount(table), "the number of rows of " + table);
        foreach (HeapIndex heap in Enum.GetValues<HeapIndex>())
        {
            var left = old.GetHeapSize(heap);
            Check(left <= now.GetHeapSize(heap) && now.GetHeapSize(heap) < left + 4, heap + " heap size"); // padding
            unsafe
            {
                var a = new ReadOnlySpan<byte>(old.MetadataPointer + old.GetHeapMetadataOffset(heap), left);
                var b = new ReadOnlySpan<byte>(now.MetadataPointer + now.GetHeapMetadataOffset(heap), left);
                Check(a.SequenceEqual(b), heap + " heap");
            }
        }
        foreach (TableIndex table in Enum.GetValues<TableIndex>())
        {
            int rows = old.GetTableRowCount(table), size = rows == 0 ? 0 : old.GetTableRowSize(table);
            if (rows == 0 || table == TableIndex.MethodDef || table == TableIndex.FieldRva) continue;
            Check(size == now.GetTableRowSize(table), "the row size of " + table);
            unsafe
            {
                var a = new ReadOnlySpan<byte>(old.MetadataPointer + old.GetTableMetadataOffset(table), rows * size);
                var b = new ReadOnlySpan<byte>(now.MetadataPointer + now.GetTableMetadataOffset(table), rows * size);
                Check(a.SequenceEqual(b), table + " rows");
            }
        }
    }

    static void Bodies()
    {
        foreach (var handle in old.MethodDefinitions)
        {
            int left = old.GetMethodDefinition(handle).RelativeVirtualAddress;
            int right = now.GetMethodDefinition(handle).RelativeVirtualAddress;
            Check((left == 0) == (right == 0), $"whether {MetadataTokens.GetToken(handle):X8} has a body");
            if (left == 0) continue;
            var a = before.GetMethodBody(left);
            var b = after.GetMethodBody(right);
            Check(a.MaxStack == b.MaxStack && a.LocalSignature == b.LocalSignature && a.Size == b.Size &&
                  a.LocalVariablesInitialized == b.LocalVariablesInitialized &&
                  a.GetILBytes().AsSpan().SequenceEqual(b.GetILBytes()) &&
                  a.ExceptionRegions.SequenceEqual(b.ExceptionRegions), $"body {MetadataTokens.GetToken(handle):X8}");
            bodies++;
        }
    }

    static int Size(FieldDefinition field)
    {
        var blob = old.GetBlobReader(field.Signature);
        blob.ReadByte();
        switch ((SignatureTypeCode)blob.ReadByte())
        {
            case SignatureTypeCode.Boolean: case SignatureTypeCode.SByte: case SignatureTypeCode.Byte: return 1;
            case SignatureTypeCode.Char: case SignatureTypeCode.Int16: case SignatureTypeCode.UInt16: return 2;
            case SignatureTypeCode.Int32: case SignatureTypeCode.UInt32: case SignatureTypeCode.Single: return 4;
            case SignatureTypeCode.Int64: case SignatureTypeCode.UInt64: case SignatureTypeCode.Double: return 8;
            case (SignatureTypeCode)0x11: break;
            default: return 1;
        }
        var type = blob.ReadTypeHandle();
        return type.Kind == HandleKind.TypeDefinition ? Math.Max(1, old.GetTypeDefinition((TypeDefinitionHandle)type).GetLayout().Size) : 1;
    }

    static void Data()
    {
        foreach (var handle in old.FieldDefinitions)
        {
            var field = old.GetFieldDefinition(handle);
            int left = field.GetRelativeVirtualAddress(), right = now.GetFieldDefinition(handle).GetRelativeVirtualAddress();
            if (left == 0) continue;
            int size = Size(field), alignment = 16;
            while (left % alignment != 0) alignment /= 2;
            Check(right % alignment == 0, $"the alignment of {MetadataTokens.GetToken(handle):X8}");
            Check(before.GetSectionData(left).GetContent(0, size).SequenceEqual(after.GetSectionData(right).GetContent(0, size)),
                  $"the data of {MetadataTokens.GetToken(handle):X8}");
            data++;
        }
    }

    static byte[] Resource(PEReader reader, long offset)
    {
        var all = reader.GetSectionData(reader.PEHeaders.CorHeader.ResourcesDirectory.RelativeVirtualAddress);
        int size = all.GetReader((int)offset, 4).ReadInt32();
        return all.GetContent((int)offset + 4, size).ToArray();
    }

    static void Resources()
    {
        foreach (var handle in old.ManifestResources)
        {
            var resource = old.GetManifestResource(handle);
            if (!resource.Implementation.IsNil) continue;
            Check(Resource(before, resource.Offset).SequenceEqual(Resource(after, resource.Offset)), old.GetString(resource.Name));
            resources++;
        }
    }

    static PEMemoryBlock? Directory(PEReader reader)
    {
        var entry = reader.PEHeaders.PEHeader.ResourceTableDirectory;
        return entry.Size == 0 ? null : reader.GetSectionData(entry.RelativeVirtualAddress);
    }

    // Trees of the same shape; a leaf is an RVA, a size, a code page.
    static void Win32(PEMemoryBlock? left, PEMemoryBlock? right, int at, int other, int depth)
    {
        Check(left.HasValue == right.HasValue, "whether there are Win32 resources");
        if (!left.HasValue) return;
        var a = left.Value.GetReader(at, 16);
        var b = right.Value.GetReader(other, 16);
        Check(a.ReadBytes(16).SequenceEqual(b.ReadBytes(16)), "a directory of Win32 resources");
        a = left.Value.GetReader(at + 12, 4);
        int count = a.ReadUInt16() + a.ReadUInt16();
        for (int i = 0; i < count; i++)
        {
            a = left.Value.GetReader(at + 16 + 8 * i, 8);
            b = right.Value.GetReader(other + 16 + 8 * i, 8);
            Check(a.ReadUInt32() == b.ReadUInt32(), "the name of a Win32 resource");
            uint to = a.ReadUInt32(), toOther = b.ReadUInt32();
            if ((to & 0x80000000) != 0)
            {
                Win32(left, right, (int)(to & 0x7FFFFFFF), (int)(toOther & 0x7FFFFFFF), depth + 1);
                continue;
            }
            a = left.Value.GetReader((int)to, 16);
            b = right.Value.GetReader((int)toOther, 16);
            int rva = a.ReadInt32(), rvaOther = b.ReadInt32(), size = a.ReadInt32();
            Check(size == b.ReadInt32() && before.GetSectionData(rva).GetContent(0, size).SequenceEqual(after.GetSectionData(rvaOther).GetContent(0, size)),
                  "a Win32 resource");
            leaves++;
        }
    }

    static void Debug()
    {
        var left = before.ReadDebugDirectory();
        var right = after.ReadDebugDirectory();
        Check(left.Length == right.Length, "the number of debug entries");
        var a = before.GetEntireImage();
        var b = after.GetEntireImage();
        for (int i = 0; i < left.Length; i++)
        {
            Check(left[i].Type == right[i].Type && left[i].Stamp == right[i].Stamp && left[i].DataSize == right[i].DataSize, "a debug entry");
            int size = left[i].DataSize;
            Check(size == 0 || a.GetContent(left[i].DataPointer, size).SequenceEqual(b.GetContent(right[i].DataPointer, size)), "debug data");
            Check(right[i].DataRelativeVirtualAddress == 0 || size == 0 ||
                  after.GetSectionData(right[i].DataRelativeVirtualAddress).GetContent(0, size).SequenceEqual(b.GetContent(right[i].DataPointer, size)), "where debug data is");
            debug++;
        }
    }
}
