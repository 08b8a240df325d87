// Knows what an inserted sequence looks like: dup; [box T]; ldstr "Ns.Type::Method"; call MyProfiler.Helper::MyInspector.
using System;
using System.Linq;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

sealed class Inserted
{
    readonly MetadataReader old, patched;

    public Inserted(MetadataReader old, MetadataReader patched)
    {
        this.old = old;
        this.patched = patched;
    }

    // Namespace.Outer/Inner::Method; of a method outside of types its name alone.
    public static string NameOf(MetadataReader reader, MethodDefinitionHandle handle)
    {
        MethodDefinition method = reader.GetMethodDefinition(handle);
        string type = NameOf(reader, method.GetDeclaringType());
        return (type == "<Module>" ? "" : type + "::") + reader.GetString(method.Name);
    }

    public static string NameOf(MetadataReader reader, TypeDefinitionHandle handle)
    {
        TypeDefinition type = reader.GetTypeDefinition(handle);
        string name = reader.GetString(type.Name), space = reader.GetString(type.Namespace);
        name = space == "" ? name : space + "." + name;
        return type.GetDeclaringType().IsNil ? name : NameOf(reader, type.GetDeclaringType()) + "/" + name;
    }

    // Is the instruction with index j the first of an inserted sequence that is before a `ret`?
    public bool At(Body b, int j, out int length) =>
        IsSequence(b, j, out length) && b.Instructions[j + length].Op == OpCodes.Ret;

    // Or of one before a call of SetResult, to which an async method hands its result?
    public bool BeforeResult(Body b, int j, out int length) =>
        IsSequence(b, j, out length) && b.Instructions[j + length].Op.FlowControl == FlowControl.Call
        && NameOfCalled(b.Int(b.Instructions[j + length].OperandAt)) == "SetResult";

    bool IsSequence(Body b, int j, out int length)
    {
        length = 3;
        var code = b.Instructions;
        if (j >= code.Count) {
            return false;
        }
        if (code[j].Op == OpCodes.Dup && j + 1 < code.Count && code[j + 1].Op == OpCodes.Box) {
            length = 4;
        }
        return code[j].Op == OpCodes.Dup && j + length < code.Count
               && code[j + length - 2].Op == OpCodes.Ldstr && code[j + length - 1].Op == OpCodes.Call
               && IsInspector(b.Int(code[j + length - 1].OperandAt));
    }

    string NameOfCalled(int token) => MetadataTokens.EntityHandle(token) switch {
        { Kind: HandleKind.MemberReference } member => patched.GetString(patched.GetMemberReference((MemberReferenceHandle)member).Name),
        { Kind: HandleKind.MethodDefinition } method => patched.GetString(patched.GetMethodDefinition((MethodDefinitionHandle)method).Name),
        { Kind: HandleKind.MethodSpecification } spec =>
            NameOfCalled(MetadataTokens.GetToken(patched.GetMethodSpecification((MethodSpecificationHandle)spec).Method)),
        _ => null
    };

    bool IsInspector(int token)
    {
        if (token >> 24 == 0x06) { // embedded
            return (token & 0xFFFFFF) > old.GetTableRowCount(TableIndex.MethodDef)
                   && NameOf(patched, MetadataTokens.MethodDefinitionHandle(token & 0xFFFFFF)) == "<ilpatch:MyProfiler>.MyProfiler.Helper::MyInspector";
        }
        if (MetadataTokens.Handle(token) is not { Kind: HandleKind.MemberReference } handle) {
            return false;
        }
        MemberReference member = patched.GetMemberReference((MemberReferenceHandle)handle);
        if (member.Parent.Kind != HandleKind.TypeReference
            || !patched.StringComparer.Equals(member.Name, "MyInspector")) {
            return false;
        }
        TypeReference type = patched.GetTypeReference((TypeReferenceHandle)member.Parent);
        return patched.StringComparer.Equals(type.Namespace, "MyProfiler")
               && patched.StringComparer.Equals(type.Name, "Helper")
               && type.ResolutionScope.Kind == HandleKind.AssemblyReference
               && patched.StringComparer.Equals(patched.GetAssemblyReference(
                      (AssemblyReferenceHandle)type.ResolutionScope).Name, "MyProfiler")
               // static void (object, string)
               && patched.GetBlobBytes(member.Signature).SequenceEqual(new byte[] { 0, 2, 1, 0x1C, 0x0E });
    }

    string NameIn(Body b, int j)
    {
        int at = j + (b.Instructions[j + 1].Op == OpCodes.Box ? 2 : 1);
        return patched.GetUserString(MetadataTokens.UserStringHandle(b.Int(b.Instructions[at].OperandAt) & 0xFFFFFF));
    }

    // What is wrong with the sequence at index j of a MoveNext; null: nothing. Its name is that of the async method, which is in the
    // type around the state machine, or around the closure that this is in.
    public string ProblemOfResult(Body b, int j, MethodDefinitionHandle handle)
    {
        TypeDefinitionHandle machine = old.GetMethodDefinition(handle).GetDeclaringType();
        TypeDefinitionHandle around = old.GetTypeDefinition(machine).GetDeclaringType();
        string name = NameIn(b, j);
        return !around.IsNil && name.StartsWith(NameOf(old, around) + "::") ? null : $"result of {name}";
    }

    // What is wrong with the name or the boxed type of the sequence at index j; null: nothing.
    public string Problem(Body b, int j, MethodDefinitionHandle handle)
    {
        var code = b.Instructions;
        bool boxed = code[j + 1].Op == OpCodes.Box;
        string name = NameIn(b, j);
        if (name != NameOf(old, handle)) {
            return $"inspected as {name}";
        }
        if (((int)old.GetMethodDefinition(handle).ImplAttributes & Expected.RuntimeAsync) != 0) {
            return null; // its signature says Task<T>, and T is on the stack
        }
        byte[] returned = ReturnType(old.GetBlobReader(old.GetMethodDefinition(handle).Signature));
        int token = boxed ? b.Int(code[j + 1].OperandAt) : 0;
        switch (returned[0]) {
        case 0x0E: case 0x12: case 0x14: case 0x1C: case 0x1D: // string, class, array, object, vector
            return boxed ? $"box {token:x8} of a reference" : null;
        case 0x15 when returned[1] == 0x12: // an instance of a generic class
            return boxed ? $"box {token:x8} of a reference" : null;
        case 0x11: // the very TypeDef or TypeRef of the signature
            return boxed && TypeDefOrRef(returned, 1) == token ? null : $"box {token:x8}";
        case 0x13: case 0x1E: case 0x15: // only a TypeSpec can say these
            return boxed && MetadataTokens.Handle(token) is { Kind: HandleKind.TypeSpecification } spec
                   && patched.GetBlobBytes(patched.GetTypeSpecification((TypeSpecificationHandle)spec).Signature)
                             .SequenceEqual(returned) ? null : $"box {token:x8}";
        default:
            return boxed && IsPrimitive(token, (SignatureTypeCode)returned[0]) ? null : $"box {token:x8}";
        }
    }

    // A primitive is named in the core library reference that the module has already, or is its own type.
    bool IsPrimitive(int token, SignatureTypeCode code)
    {
        string wanted = code.ToString(); // Int32
        switch (MetadataTokens.EntityHandle(token)) {
        case { Kind: HandleKind.TypeDefinition } own:
            TypeDefinition definition = patched.GetTypeDefinition((TypeDefinitionHandle)own);
            return patched.StringComparer.Equals(definition.Namespace, "System") && patched.StringComparer.Equals(definition.Name, wanted);
        case { Kind: HandleKind.TypeReference } reference:
            TypeReference type = patched.GetTypeReference((TypeReferenceHandle)reference);
            return patched.StringComparer.Equals(type.Namespace, "System") && patched.StringComparer.Equals(type.Name, wanted)
                   && type.ResolutionScope.Kind == HandleKind.AssemblyReference && IsCoreLibrary((AssemblyReferenceHandle)type.ResolutionScope);
        default:
            return false;
        }
    }

    bool IsCoreLibrary(AssemblyReferenceHandle handle) =>
        MetadataTokens.GetRowNumber(handle) <= old.GetTableRowCount(TableIndex.AssemblyRef)
        && patched.GetString(patched.GetAssemblyReference(handle).Name) is "mscorlib" or "System.Runtime" or "System.Private.CoreLib" or "netstandard";

    // The bytes of the return type after its modifiers.
    public static byte[] ReturnType(BlobReader signature)
    {
        SignatureHeader header = signature.ReadSignatureHeader();
        if (header.IsGeneric) {
            signature.ReadCompressedInteger();
        }
        signature.ReadCompressedInteger();
        int start = signature.Offset;
        while (signature.ReadByte() is 0x1F or 0x20) {
            signature.ReadTypeHandle();
            start = signature.Offset;
        }
        signature.Offset = start;
        SkipType(ref signature);
        int size = signature.Offset - start;
        signature.Offset = start;
        return signature.ReadBytes(size);
    }

    static void SkipType(ref BlobReader s)
    {
        switch (s.ReadByte()) {
        case 0x0F: case 0x10: case 0x1D: case 0x45:
            SkipType(ref s);
            break;
        case 0x1F: case 0x20:
            s.ReadTypeHandle();
            SkipType(ref s);
            break;
        case 0x11: case 0x12:
            s.ReadTypeHandle();
            break;
        case 0x13: case 0x1E:
            s.ReadCompressedInteger();
            break;
        case 0x14:
            SkipType(ref s);
            s.ReadCompressedInteger(); // the rank
            for (int n = s.ReadCompressedInteger(); n > 0; n--) {
                s.ReadCompressedInteger();
            }
            for (int n = s.ReadCompressedInteger(); n > 0; n--) {
                s.ReadCompressedSignedInteger();
            }
            break;
        case 0x15:
            SkipType(ref s);
            for (int n = s.ReadCompressedInteger(); n > 0; n--) {
                SkipType(ref s);
            }
            break;
        case 0x1B:
            if (s.ReadSignatureHeader().IsGeneric) {
                s.ReadCompressedInteger();
            }
            for (int n = s.ReadCompressedInteger(); n >= 0; n--) {
                SkipType(ref s);
            }
            break;
        }
    }

    // TypeDefOrRefOrSpecEncoded (II.23.2.8) as a token.
    public static unsafe int TypeDefOrRef(byte[] type, int at)
    {
        fixed (byte* p = type) {
            var reader = new BlobReader(p + at, type.Length - at);
            return MetadataTokens.GetToken(reader.ReadTypeHandle());
        }
    }
}
