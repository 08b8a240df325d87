// Theirs LIST: what System.Reflection.Metadata reads in the files that LIST names, in the lines of ours.c. It reads lazily: each fact is queried
// for by itself, and an exception is a "no" with its name.
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Text;

static unsafe class Theirs
{
    static readonly StreamWriter output = new(Console.OpenStandardOutput(), bufferSize: 1 << 16);

    static void Main(string[] args)
    {
        foreach (string file in File.ReadAllLines(args[0]))
            Put(file);
        output.Flush();
    }

    static void Line(string file, string key, int row, Func<string> value)
    {
        string text;
        try
        {
            text = "yes " + value();
        }
        catch (Exception e)
        {
            text = $"no {e.GetType().Name}: {e.Message.ReplaceLineEndings(" ")}";
        }
        output.Write($"{file}\t{key} {row}\t{text}\n");
    }

    static string Hash(ReadOnlySpan<byte> bytes)
    {
        ulong hash = 0xCBF29CE484222325;
        foreach (byte b in bytes)
            hash = (hash ^ b) * 0x100000001B3;
        return $"{bytes.Length}:{hash:X16}";
    }

    static void Put(string file)
    {
        byte[] bytes = File.ReadAllBytes(file);
        if (bytes.Length == 0)
            bytes = new byte[1]; // which has an address
        fixed (byte* data = bytes)
        {
            PEReader pe = null;
            MetadataReader reader = null;
            byte* start = data;
            Line(file, "open", 0, () =>
            {
                if (bytes.AsSpan().StartsWith("BSJB"u8))
                {
                    reader = new MetadataReader(start, bytes.Length);
                    return "";
                }
                pe = new PEReader(start, bytes.Length);
                if (!pe.HasMetadata)
                    throw new BadImageFormatException("it has no metadata");
                reader = pe.GetMetadataReader();
                return "";
            });
            if (reader == null)
                return;
            foreach (TableIndex table in Enum.GetValues<TableIndex>())
                if (reader.GetTableRowCount(table) is int count && count != 0)
                    Line(file, "rows", (int)table, () => count.ToString());
            PutNames(file, reader);
            PutSignatures(file, reader);
            for (int row = 1; row <= reader.GetTableRowCount(TableIndex.CustomAttribute); row++)
                Line(file, "attribute", row, () =>
                    Hash(reader.GetBlobBytes(reader.GetCustomAttribute(MetadataTokens.CustomAttributeHandle(row)).Value)));
            PutSymbols(file, reader);
            if (pe != null)
                PutBodies(file, pe, reader);
        }
    }

    static string Name(MetadataReader reader, StringHandle handle)
    {
        BlobReader name = reader.GetBlobReader(handle);
        return Convert.ToHexString(name.ReadBytes(name.Length));
    }

    static void PutNames(string file, MetadataReader reader)
    {
        for (int row = 1; row <= reader.GetTableRowCount(TableIndex.TypeDef); row++)
            Line(file, "typename", row, () =>
            {
                TypeDefinition type = reader.GetTypeDefinition(MetadataTokens.TypeDefinitionHandle(row));
                return Name(reader, type.Namespace) + "." + Name(reader, type.Name);
            });
        for (int row = 1; row <= reader.GetTableRowCount(TableIndex.MethodDef); row++)
            Line(file, "methodname", row, () => Name(reader, reader.GetMethodDefinition(MetadataTokens.MethodDefinitionHandle(row)).Name));
    }

    // ---- signatures ----

    static string Text(MethodSignature<string> signature) =>
        $"{signature.Header.RawValue:X2} {signature.GenericParameterCount} {signature.RequiredParameterCount} {signature.ReturnType} " +
        string.Join(" ", signature.ParameterTypes);

    static void PutSignatures(string file, MetadataReader reader)
    {
        var types = new TypeText();
        void Each(string key, TableIndex table, Func<int, string> decode)
        {
            for (int row = 1; row <= reader.GetTableRowCount(table); row++)
                Line(file, key, row, () => decode(row));
        }
        Each("field", TableIndex.Field, row =>
            reader.GetFieldDefinition(MetadataTokens.FieldDefinitionHandle(row)).DecodeSignature(types, null) + " ");
        Each("method", TableIndex.MethodDef, row =>
            Text(reader.GetMethodDefinition(MetadataTokens.MethodDefinitionHandle(row)).DecodeSignature(types, null)));
        Each("property", TableIndex.Property, row =>
            Text(reader.GetPropertyDefinition(MetadataTokens.PropertyDefinitionHandle(row)).DecodeSignature(types, null)));
        Each("member", TableIndex.MemberRef, row =>
        {
            MemberReference member = reader.GetMemberReference(MetadataTokens.MemberReferenceHandle(row));
            return member.GetKind() == MemberReferenceKind.Method
                ? Text(member.DecodeMethodSignature(types, null))
                : member.DecodeFieldSignature(types, null) + " ";
        });
        Each("standalone", TableIndex.StandAloneSig, row =>
        {
            StandaloneSignature signature = reader.GetStandaloneSignature(MetadataTokens.StandaloneSignatureHandle(row));
            byte kind = reader.GetBlobReader(signature.Signature).ReadByte();
            if ((SignatureKind)(kind & 15) == SignatureKind.Field)
            {
                BlobReader blob = reader.GetBlobReader(signature.Signature);
                return new SignatureDecoder<string, object>(types, reader, null).DecodeFieldSignature(ref blob) + " ";
            }
            return signature.GetKind() == StandaloneSignatureKind.Method
                ? Text(signature.DecodeMethodSignature(types, null))
                : string.Join(" ", signature.DecodeLocalSignature(types, null));
        });
        Each("typespec", TableIndex.TypeSpec, row =>
            reader.GetTypeSpecification(MetadataTokens.TypeSpecificationHandle(row)).DecodeSignature(types, null) + " ");
        Each("methodspec", TableIndex.MethodSpec, row =>
            string.Join(" ", reader.GetMethodSpecification(MetadataTokens.MethodSpecificationHandle(row)).DecodeSignature(types, null)));
    }

    sealed class TypeText : ISignatureTypeProvider<string, object>
    {
        public string GetArrayType(string element, ArrayShape shape) =>
            $"14({element} {shape.Rank} [{string.Concat(shape.Sizes.Select(n => " " + (uint)n))} ] [{string.Concat(shape.LowerBounds.Select(n => " " + n))} ])";
        public string GetByReferenceType(string element) => $"10({element})";
        public string GetFunctionPointerType(MethodSignature<string> signature) => $"1B({Text(signature)})";
        public string GetGenericInstantiation(string generic, ImmutableArray<string> arguments) =>
            $"15({generic}{string.Concat(arguments.Select(a => " " + a))})";
        public string GetGenericMethodParameter(object context, int index) => $"1E:{index}";
        public string GetGenericTypeParameter(object context, int index) => $"13:{index}";
        public string GetModifiedType(string modifier, string unmodified, bool required) =>
            $"{(required ? "1F" : "20")}({modifier[(modifier.IndexOf(':') + 1)..]} {unmodified})";
        public string GetPinnedType(string element) => $"45({element})";
        public string GetPointerType(string element) => $"0F({element})";
        public string GetPrimitiveType(PrimitiveTypeCode code) => $"{(int)code:X2}";
        public string GetSZArrayType(string element) => $"1D({element})";
        public string GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte kind) => Type(handle, kind);
        public string GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte kind) => Type(handle, kind);
        public string GetTypeFromSpecification(MetadataReader reader, object context, TypeSpecificationHandle handle, byte kind) =>
            Type(handle, kind);

        static string Type(EntityHandle handle, byte kind) => $"{kind:X2}:{MetadataTokens.GetToken(handle):X8}";
    }

    // ---- bodies ----

    static string Text(ExceptionRegion region)
    {
        int token = region.Kind switch
        {
            ExceptionRegionKind.Catch => MetadataTokens.GetToken(region.CatchType),
            ExceptionRegionKind.Filter => region.FilterOffset,
            _ => 0,
        };
        return $" [{(int)region.Kind} {(uint)region.TryOffset} {(uint)region.TryLength} {(uint)region.HandlerOffset} {(uint)region.HandlerLength} {token:X}]";
    }

    static void PutBodies(string file, PEReader pe, MetadataReader reader)
    {
        for (int row = 1; row <= reader.GetTableRowCount(TableIndex.MethodDef); row++)
        {
            int Rva() => reader.GetMethodDefinition(MetadataTokens.MethodDefinitionHandle(row)).RelativeVirtualAddress;
            bool none = false;
            try
            {
                none = Rva() == 0;
            }
            catch (BadImageFormatException)
            {
            }
            if (!none)
                Line(file, "body", row, () =>
                {
                    MethodBodyBlock body = pe.GetMethodBody(Rva());
                    int locals = body.LocalSignature.IsNil ? 0 : MetadataTokens.GetToken(body.LocalSignature);
                    return $"code {Hash(body.GetILBytes())} stack {body.MaxStack} locals {locals:X8} init {(body.LocalVariablesInitialized ? 1 : 0)}" +
                        string.Concat(body.ExceptionRegions.Select(Text));
                });
        }
    }

    // ---- symbols ----

    static void PutSymbols(string file, MetadataReader reader)
    {
        for (int row = 1; row <= reader.GetTableRowCount(TableIndex.MethodDebugInformation); row++)
        {
            MethodDebugInformationHandle handle = MetadataTokens.MethodDebugInformationHandle(row);
            bool none = false;
            try
            {
                BlobHandle blob = reader.GetMethodDebugInformation(handle).SequencePointsBlob;
                none = blob.IsNil || reader.GetBlobReader(blob).Length == 0;
            }
            catch (BadImageFormatException)
            {
            }
            if (!none)
                Line(file, "points", row, () => Hash(Moved(reader, reader.GetMethodDebugInformation(handle))));
            Line(file, "documents", row, () => Documents(reader, reader.GetMethodDebugInformation(handle)));
        }
    }

    // The blob with offsets from 4 on 10 bytes later, and StandAloneSig 7.
    static byte[] Moved(MetadataReader reader, MethodDebugInformation method)
    {
        static int Move(int offset) => offset < 4 ? offset : offset + 10;
        var blob = new BlobBuilder();
        blob.WriteCompressedInteger(7);
        List<SequencePoint> points = method.GetSequencePoints().ToList();
        DocumentHandle document = method.Document;
        if (document.IsNil)
        {
            document = points.Count != 0 ? points[0].Document : default;
            blob.WriteCompressedInteger(MetadataTokens.GetRowNumber(document));
        }
        int offset = 0, line = -1, column = 0;
        bool first = true;
        foreach (SequencePoint point in points)
        {
            if (point.Document != document)
            {
                document = point.Document;
                blob.WriteCompressedInteger(0);
                blob.WriteCompressedInteger(MetadataTokens.GetRowNumber(document));
            }
            blob.WriteCompressedInteger(first ? Move(point.Offset) : Move(point.Offset) - Move(offset));
            offset = point.Offset;
            first = false;
            if (point.IsHidden)
            {
                blob.WriteCompressedInteger(0);
                blob.WriteCompressedInteger(0);
                continue;
            }
            int lines = point.EndLine - point.StartLine;
            blob.WriteCompressedInteger(lines);
            if (lines == 0)
                blob.WriteCompressedInteger(point.EndColumn - point.StartColumn);
            else
                blob.WriteCompressedSignedInteger(point.EndColumn - point.StartColumn);
            if (line < 0)
            {
                blob.WriteCompressedInteger(point.StartLine);
                blob.WriteCompressedInteger(point.StartColumn);
            }
            else
            {
                blob.WriteCompressedSignedInteger(point.StartLine - line);
                blob.WriteCompressedSignedInteger(point.StartColumn - column);
            }
            line = point.StartLine;
            column = point.StartColumn;
        }
        return blob.ToArray();
    }

    // Their names, each once and ended by a NUL, with / between folders.
    static string Documents(MetadataReader reader, MethodDebugInformation method)
    {
        List<string> names = method.GetSequencePoints().Where(p => !p.IsHidden).Select(p => p.Document).Distinct()
            .Select(d => reader.GetString(reader.GetDocument(d).Name).Replace('\\', '/')).ToList();
        return names.Any(n => n.Contains('\0') || n.Contains('\uFFFD'))
            ? "not-text"
            : Hash(Encoding.UTF8.GetBytes(string.Concat(names.Select(n => n + "\0"))));
    }
}
