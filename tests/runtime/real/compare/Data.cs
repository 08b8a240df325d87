// Compares what is in a file outside of tables, heaps and bodies. Managed resources and the initial values
// of fields (FieldRVA, II.22.18) keep their place, as mapped data may be aligned for a reason; and whatever else the
// sections hold stays as it is, known or not.
using System;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

static class Data
{
    public static void Compare(PEReader before, PEReader after, bool compact, Report report)
    {
        MetadataReader a = before.GetMetadataReader(), b = after.GetMetadataReader();
        foreach (ManifestResourceHandle handle in a.ManifestResources) {
            if (a.GetManifestResource(handle).Implementation.IsNil) {
                report.Check(Resource(before, a.GetManifestResource(handle).Offset)
                                 .SequenceEqual(Resource(after, b.GetManifestResource(handle).Offset)),
                             $"resource {a.GetString(a.GetManifestResource(handle).Name)}: bytes differ");
            }
        }
        for (int rid = 1; rid <= a.GetTableRowCount(TableIndex.Field); rid++) {
            FieldDefinitionHandle handle = MetadataTokens.FieldDefinitionHandle(rid);
            FieldDefinition field = a.GetFieldDefinition(handle);
            int x = field.GetRelativeVirtualAddress(), y = b.GetFieldDefinition(handle).GetRelativeVirtualAddress();
            if (x != y && !compact || (x == 0) != (y == 0) || y % Alignment(x) != 0) {
                report.Add($"Field row {rid}: data at RVA {x:x}, now {y:x}");
            } else if (x != 0) {
                int size = SizeOf(a, a.GetBlobReader(field.Signature));
                report.Check(Bytes(before, x, size).SequenceEqual(Bytes(after, y, size)),
                             $"Field row {rid}: its data differ");
            }
        }
    }

    // As much as the data may count on.
    static int Alignment(int rva) => rva == 0 ? 1 : Math.Min(16, rva & -rva);

    // Every byte of every section, but for what is replaced and therefore dead.
    public static void CompareSections(PEReader before, PEReader after, Report report)
    {
        PEHeaders a = before.PEHeaders;
        var dead = new bool[a.SectionHeaders.Max(s => s.VirtualAddress + s.SizeOfRawData)];
        void Bury(int rva, int size) => Array.Fill(dead, true, rva, size);
        void BuryDirectory(DirectoryEntry entry) => Bury(entry.RelativeVirtualAddress, entry.Size);

        BuryDirectory(a.PEHeader.CorHeaderTableDirectory); // has other places in it now
        BuryDirectory(a.CorHeader.MetadataDirectory);
        BuryDirectory(a.CorHeader.StrongNameSignatureDirectory);
        BuryDirectory(a.PEHeader.DebugTableDirectory); // symbols that no longer fit
        foreach (DebugDirectoryEntry entry in before.ReadDebugDirectory().Where(e => e.DataRelativeVirtualAddress != 0)) {
            Bury(entry.DataRelativeVirtualAddress, entry.DataSize);
        }
        MetadataReader x = before.GetMetadataReader(), y = after.GetMetadataReader();
        foreach (MethodDefinitionHandle handle in x.MethodDefinitions) {
            int rva = x.GetMethodDefinition(handle).RelativeVirtualAddress;
            if (rva != y.GetMethodDefinition(handle).RelativeVirtualAddress) {
                Bury(rva, before.GetMethodBody(rva).Size);
            }
        }
        foreach (SectionHeader section in a.SectionHeaders) {
            int size = Math.Min(section.SizeOfRawData, section.VirtualSize);
            ReadOnlySpan<byte> old = Bytes(before, section.VirtualAddress, size);
            ReadOnlySpan<byte> now = Bytes(after, section.VirtualAddress, size);
            for (int i = 0; i < size; i++) {
                if (!dead[section.VirtualAddress + i] && old[i] != now[i]) {
                    report.Add($"section {section.Name}: the byte at RVA {section.VirtualAddress + i:x} has changed");
                    break;
                }
            }
        }
    }

    // The entries of the debug directory, and their data, wherever they are.
    public static void CompareDebug(PEReader before, PEReader after, Report report)
    {
        DebugDirectoryEntry[] x = before.ReadDebugDirectory().ToArray(), y = after.ReadDebugDirectory().ToArray();
        report.Check(x.Length == y.Length, $"{x.Length} debug entries, now {y.Length}");
        PEMemoryBlock a = before.GetEntireImage(), b = after.GetEntireImage();
        for (int i = 0; i < Math.Min(x.Length, y.Length); i++) {
            int size = x[i].DataSize;
            report.Check(x[i].Type == y[i].Type && x[i].Stamp == y[i].Stamp && size == y[i].DataSize, $"debug entry {i} differs");
            ReadOnlySpan<byte> data = b.GetContent(y[i].DataPointer, size).AsSpan();
            report.Check(a.GetContent(x[i].DataPointer, size).AsSpan().SequenceEqual(data), $"debug entry {i}: its data differ");
            report.Check(size == 0 || y[i].DataRelativeVirtualAddress == 0 || Bytes(after, y[i].DataRelativeVirtualAddress, size).SequenceEqual(data),
                         $"debug entry {i}: its RVA leads elsewhere");
        }
    }

    static ReadOnlySpan<byte> Bytes(PEReader pe, int rva, int size) =>
        pe.GetSectionData(rva).GetContent(0, size).AsSpan();

    static ReadOnlySpan<byte> Resource(PEReader pe, long offset)
    {
        PEMemoryBlock all = pe.GetSectionData(pe.PEHeaders.CorHeader.ResourcesDirectory.RelativeVirtualAddress);
        BlobReader reader = all.GetReader((int)offset, all.Length - (int)offset);
        int size = reader.ReadInt32();
        return all.GetContent((int)offset + 4, size).AsSpan();
    }

    static int SizeOf(MetadataReader reader, BlobReader signature)
    {
        signature.ReadSignatureHeader();
        for (;;) {
            byte element = signature.ReadByte();
            switch ((SignatureTypeCode)element) {
            case SignatureTypeCode.RequiredModifier:
            case SignatureTypeCode.OptionalModifier:
                signature.ReadTypeHandle();
                continue;
            case SignatureTypeCode.Boolean: case SignatureTypeCode.SByte: case SignatureTypeCode.Byte:
                return 1;
            case SignatureTypeCode.Char: case SignatureTypeCode.Int16: case SignatureTypeCode.UInt16:
                return 2;
            case SignatureTypeCode.Int32: case SignatureTypeCode.UInt32: case SignatureTypeCode.Single:
                return 4;
            case SignatureTypeCode.Int64: case SignatureTypeCode.UInt64: case SignatureTypeCode.Double:
                return 8;
            }
            if (element == (byte)SignatureTypeKind.ValueType
                && signature.ReadTypeHandle() is { Kind: HandleKind.TypeDefinition } type) {
                return reader.GetTypeDefinition((TypeDefinitionHandle)type).GetLayout().Size;
            }
            return 0;
        }
    }
}
