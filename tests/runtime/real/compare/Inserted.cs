// Knows what an inserted sequence looks like: dup; [box T]; ldstr "Ns.Type::Method"; call MyProfiler.Helper::MyInspector.
using System;
using System.Linq;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

sealed class Inserted
{
    readonly MetadataReader patched;

    public Inserted(MetadataReader patched) => this.patched = patched;

    // Is the instruction with index j the first of an inserted sequence that stands before a `ret`?
    public bool At(Body b, int j, out int length)
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
               && code[j + length].Op == OpCodes.Ret && IsInspector(b.Int(code[j + length - 1].OperandAt));
    }

    bool IsInspector(int token)
    {
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

    // What is wrong with the name or the boxed type of the sequence at index j; null: nothing.
    public string Problem(Body b, int j, MetadataReader old, MethodDefinitionHandle handle,
                          Mono.Cecil.MethodDefinition cecil)
    {
        var code = b.Instructions;
        bool boxed = code[j + 1].Op == OpCodes.Box;
        int userString = b.Int(code[j + (boxed ? 2 : 1)].OperandAt) & 0xFFFFFF;
        string name = patched.GetUserString(MetadataTokens.UserStringHandle(userString));
        string type = cecil.DeclaringType.FullName;
        if (name != (type == "<Module>" ? cecil.Name : type + "::" + cecil.Name)) {
            return $"inspected as {name}";
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
            return boxed && PrimitiveName(token) == cecil.Module.TypeSystem.CoreLibrary.Name + " "
                   + Unmodified(cecil.ReturnType).FullName ? null : $"box {token:x8} {PrimitiveName(token)}";
        }
    }

    // "System.Runtime System.Int32": a primitive is named in the core library reference that the module has already.
    string PrimitiveName(int token)
    {
        if (MetadataTokens.Handle(token) is not { Kind: HandleKind.TypeReference } handle) {
            return "not a TypeRef";
        }
        TypeReference type = patched.GetTypeReference((TypeReferenceHandle)handle);
        if (type.ResolutionScope.Kind != HandleKind.AssemblyReference) {
            return "not of an AssemblyRef";
        }
        AssemblyReference scope = patched.GetAssemblyReference((AssemblyReferenceHandle)type.ResolutionScope);
        return patched.GetString(scope.Name) + " " + patched.GetString(type.Namespace) + "." + patched.GetString(type.Name);
    }

    public static Mono.Cecil.TypeReference Unmodified(Mono.Cecil.TypeReference type)
    {
        while (type is Mono.Cecil.IModifierType modified) {
            type = modified.ElementType;
        }
        return type;
    }

    // The bytes of the return type behind its modifiers.
    static byte[] ReturnType(BlobReader signature)
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
    static unsafe int TypeDefOrRef(byte[] type, int at)
    {
        fixed (byte* p = type) {
            var reader = new BlobReader(p + at, type.Length - at);
            return MetadataTokens.GetToken(reader.ReadTypeHandle());
        }
    }
}
