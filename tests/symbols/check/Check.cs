// CheckSymbols ORIGINAL.dll PATCHED.dll: is every offset of the patched assembly's PDB the same instruction as in the original's, and
// all else as it was? Both PDBs are found as a debugger does. Prints what differs, then one line of numbers; exit code 1.
using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Security.Cryptography;

static class Check
{
    static int wrong, points, scopes, steps, hoisted, moved;

    static void Wrong(string what)
    {
        if (wrong++ < 20)
            Console.WriteLine(what);
    }

    static void Same<T>(string what, T old, T now)
    {
        if (!EqualityComparer<T>.Default.Equals(old, now))
            Wrong($"{what}: {old} was, {now} is");
    }

    sealed class Side
    {
        public PEReader Pe;
        public MetadataReader Assembly, Pdb;
        public byte[] PdbBytes;

        public Side(string path)
        {
            Pe = new PEReader(new MemoryStream(File.ReadAllBytes(path)));
            Assembly = Pe.GetMetadataReader();
            byte[] bytes = null;
            bool found = Pe.TryOpenAssociatedPortablePdb(path, p => File.Exists(p) ? new MemoryStream(bytes = File.ReadAllBytes(p)) : null,
                                                         out MetadataReaderProvider provider, out _);
            if (!found)
                throw new InvalidOperationException($"{path}: no PDB that fits");
            Pdb = provider.GetMetadataReader();
            PdbBytes = bytes;
            if (bytes == null) // embedded
                PdbBytes = BytesOf(Pdb);
        }

        static unsafe byte[] BytesOf(MetadataReader reader) =>
            new ReadOnlySpan<byte>(reader.MetadataPointer, reader.MetadataLength).ToArray();

        public byte[] Body(int method, out int locals)
        {
            int rva = Assembly.GetMethodDefinition(MetadataTokens.MethodDefinitionHandle(method)).RelativeVirtualAddress;
            locals = 0;
            if (rva == 0)
                return null;
            MethodBodyBlock block = Pe.GetMethodBody(rva);
            locals = block.LocalSignature.IsNil ? 0 : MetadataTokens.GetRowNumber(block.LocalSignature);
            return block.GetILBytes();
        }
    }

    // ---- the debug directory and #Pdb ----

    static void Identity(Side old, Side now)
    {
        ImmutableArray<byte> id = now.Pdb.DebugMetadataHeader.Id;
        foreach (DebugDirectoryEntry entry in now.Pe.ReadDebugDirectory())
        {
            if (entry.Type == DebugDirectoryEntryType.CodeView)
            {
                CodeViewDebugDirectoryData data = now.Pe.ReadCodeViewDebugDirectoryData(entry);
                Same("CodeView GUID", new Guid(id.AsSpan()[..16]), data.Guid);
                Same("CodeView stamp", BinaryPrimitives.ReadUInt32LittleEndian(id.AsSpan()[16..]), entry.Stamp);
            }
            if (entry.Type == DebugDirectoryEntryType.PdbChecksum)
            {
                PdbChecksumDebugDirectoryData data = now.Pe.ReadPdbChecksumDebugDirectoryData(entry);
                byte[] bytes = (byte[])now.PdbBytes.Clone();
                bytes.AsSpan(now.Pdb.DebugMetadataHeader.IdStartOffset, 20).Clear();
                Same("checksum", Convert.ToHexString(SHA256.HashData(bytes)), Convert.ToHexString(data.Checksum.AsSpan()));
            }
        }
        string Types(Side side) => string.Join(" ", side.Pe.ReadDebugDirectory().Select(e => e.Type));
        Same("debug directory", Types(old), Types(now));
        Same("entry point", old.Pdb.DebugMetadataHeader.EntryPoint, now.Pdb.DebugMetadataHeader.EntryPoint);
        if (id.SequenceEqual(old.Pdb.DebugMetadataHeader.Id))
            Wrong("the id is the old one");
        int at = now.Pdb.DebugMetadataHeader.IdStartOffset + 24;
        ulong tables = BinaryPrimitives.ReadUInt64LittleEndian(now.PdbBytes.AsSpan(at));
        at += 8;
        for (int table = 0; table < 64; table++)
        {
            int rows = 0;
            if ((tables >> table & 1) != 0)
            {
                rows = BinaryPrimitives.ReadInt32LittleEndian(now.PdbBytes.AsSpan(at));
                at += 4;
            }
            if (table <= 0x2C && !IsPointer(table))
                Same($"rows of table {table:X2}", now.Assembly.GetTableRowCount((TableIndex)table), rows);
        }
    }

    static bool IsPointer(int table) => table is 3 or 5 or 7 or 0x13 or 0x16 or 0x1E or 0x1F;

    // ---- methods ----

    static string Place(SequencePoint point, MetadataReader pdb) =>
        point.Document.IsNil ? "-" : pdb.GetString(pdb.GetDocument(point.Document).Name) +
        (point.IsHidden ? " hidden" : $" {point.StartLine},{point.StartColumn}-{point.EndLine},{point.EndColumn}");

    static int To(Dictionary<int, int> map, int offset, string what)
    {
        if (map == null)
            return offset;
        if (map.TryGetValue(offset, out int to))
            return to;
        Wrong($"{what}: IL_{offset:x4} begins no instruction in the original");
        return -2;
    }

    static void Points(Side old, Side now, int method, Dictionary<int, int> map, int locals)
    {
        MethodDebugInformation a = old.Pdb.GetMethodDebugInformation(MetadataTokens.MethodDebugInformationHandle(method));
        MethodDebugInformation b = now.Pdb.GetMethodDebugInformation(MetadataTokens.MethodDebugInformationHandle(method));
        if (a.SequencePointsBlob.IsNil)
        {
            Same($"{method:x8}: sequence points", true, b.SequencePointsBlob.IsNil);
            return;
        }
        Same($"{method:x8}: locals", locals, b.LocalSignature.IsNil ? 0 : MetadataTokens.GetRowNumber(b.LocalSignature));
        List<SequencePoint> x = a.GetSequencePoints().ToList(), y = b.GetSequencePoints().ToList();
        Same($"{method:x8}: sequence points", x.Count, y.Count);
        for (int i = 0; i < Math.Min(x.Count, y.Count); i++, points++)
        {
            Same($"{method:x8}: place {i}", Place(x[i], old.Pdb), Place(y[i], now.Pdb));
            Same($"{method:x8}: point {i}", To(map, x[i].Offset, "a sequence point"), y[i].Offset);
        }
    }

    static string Names(MetadataReader pdb, LocalScope scope) =>
        string.Join(",", scope.GetLocalVariables().Select(h => pdb.GetLocalVariable(h)).Select(v => $"{v.Index}:{pdb.GetString(v.Name)}:{v.Attributes}")) +
        ";" + string.Join(",", scope.GetLocalConstants().Select(h => pdb.GetLocalConstant(h)).Select(c => pdb.GetString(c.Name) + Convert.ToHexString(pdb.GetBlobBytes(c.Signature)))) +
        ";" + (scope.ImportScope.IsNil ? 0 : MetadataTokens.GetRowNumber(scope.ImportScope));

    static void Scopes(Side old, Side now, Dictionary<int, int>[] maps)
    {
        List<LocalScopeHandle> x = old.Pdb.LocalScopes.ToList(), y = now.Pdb.LocalScopes.ToList();
        Same("scopes", x.Count, y.Count);
        for (int i = 0; i < Math.Min(x.Count, y.Count); i++, scopes++)
        {
            LocalScope a = old.Pdb.GetLocalScope(x[i]), b = now.Pdb.GetLocalScope(y[i]);
            Dictionary<int, int> map = maps[MetadataTokens.GetRowNumber(a.Method)];
            Same($"scope {i}: method", a.Method, b.Method);
            Same($"scope {i}: contents", Names(old.Pdb, a), Names(now.Pdb, b));
            Same($"scope {i}: start", To(map, a.StartOffset, "a scope"), b.StartOffset);
            Same($"scope {i}: end", To(map, a.StartOffset + a.Length, "a scope's end"), b.StartOffset + b.Length);
        }
    }

    static readonly Guid hoistedKind = new("6DA9A61E-F8C7-4874-BE62-68BC5630DF71");
    static readonly Guid stepKind = new("54FD2AC5-E925-401A-9C2A-F94F171072F8");

    static void CustomInfo(Side old, Side now, Dictionary<int, int>[] maps)
    {
        List<CustomDebugInformationHandle> x = old.Pdb.CustomDebugInformation.ToList(), y = now.Pdb.CustomDebugInformation.ToList();
        Same("custom debug information", x.Count, y.Count);
        for (int i = 0; i < Math.Min(x.Count, y.Count); i++)
        {
            CustomDebugInformation a = old.Pdb.GetCustomDebugInformation(x[i]), b = now.Pdb.GetCustomDebugInformation(y[i]);
            Guid kind = old.Pdb.GetGuid(a.Kind);
            Same($"custom {i}: kind", kind, now.Pdb.GetGuid(b.Kind));
            Same($"custom {i}: parent", a.Parent, b.Parent);
            BlobReader from = old.Pdb.GetBlobReader(a.Value), to = now.Pdb.GetBlobReader(b.Value);
            if (kind == hoistedKind)
                Hoisted(from, to, maps[MetadataTokens.GetRowNumber(a.Parent)]);
            else if (kind == stepKind)
                Steps(from, to, maps[MetadataTokens.GetRowNumber(a.Parent)], maps);
            else
                Same($"custom {i}: value", Convert.ToHexString(from.ReadBytes(from.Length)), Convert.ToHexString(to.ReadBytes(to.Length)));
        }
    }

    static void Hoisted(BlobReader from, BlobReader to, Dictionary<int, int> map)
    {
        Same("hoisted scopes", from.Length, to.Length);
        for (; from.RemainingBytes > 0 && to.RemainingBytes > 0; hoisted++)
        {
            int start = from.ReadInt32(), end = start + from.ReadInt32();
            int newStart = to.ReadInt32(), newEnd = newStart + to.ReadInt32();
            Same("hoisted scope", end == 0 ? 0 : To(map, start, "a hoisted scope"), newStart);
            Same("hoisted scope's end", end == 0 ? 0 : To(map, end, "a hoisted scope's end"), newEnd);
        }
    }

    static void Steps(BlobReader from, BlobReader to, Dictionary<int, int> map, Dictionary<int, int>[] maps)
    {
        Same("async steps", from.Length, to.Length);
        int handler = from.ReadInt32();
        Same("catch handler", handler == 0 ? 0 : To(map, handler - 1, "a catch handler") + 1, to.ReadInt32());
        for (; from.RemainingBytes > 0 && to.RemainingBytes > 0; steps++)
        {
            int yields = from.ReadInt32(), resumes = from.ReadInt32(), method = from.ReadCompressedInteger();
            Same("yield", To(map, yields, "a yield"), to.ReadInt32());
            Same("resume", To(maps[method], resumes, "a resume"), to.ReadInt32());
            Same("method", method, to.ReadCompressedInteger());
        }
    }

    static string Documents(MetadataReader pdb) =>
        string.Join("\n", pdb.Documents.Select(h => pdb.GetDocument(h)).Select(d => pdb.GetString(d.Name) + pdb.GetGuid(d.Language) + Convert.ToHexString(pdb.GetBlobBytes(d.Hash))));

    static int Main(string[] args)
    {
        Side old = new(args[0]), now = new(args[1]);
        int methods = old.Assembly.MethodDefinitions.Count;
        var maps = new Dictionary<int, int>[methods + 1];
        Identity(old, now);
        Same("documents", Documents(old.Pdb), Documents(now.Pdb));
        Same("methods", old.Pdb.MethodDebugInformation.Count == 0 ? 0 : now.Assembly.MethodDefinitions.Count, now.Pdb.MethodDebugInformation.Count);
        for (int method = 1; method <= methods; method++)
        {
            byte[] before = old.Body(method, out _), after = now.Body(method, out int locals);
            if (before != null && !before.AsSpan().SequenceEqual(after))
            {
                maps[method] = Il.Map(before, after);
                moved++;
            }
            if (old.Pdb.MethodDebugInformation.Count != 0)
                Points(old, now, method, maps[method], locals);
        }
        for (int method = methods + 1; method <= now.Pdb.MethodDebugInformation.Count; method++)
            Same("a new method's points", true, now.Pdb.GetMethodDebugInformation(MetadataTokens.MethodDebugInformationHandle(method)).SequencePointsBlob.IsNil);
        Scopes(old, now, maps);
        CustomInfo(old, now, maps);
        Console.WriteLine($"{methods} methods, {moved} moved; {points} sequence points, {scopes} scopes, {hoisted} hoisted scopes, {steps} async steps; {wrong} wrong");
        return wrong == 0 ? 0 : 1;
    }
}
