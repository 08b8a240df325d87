// Types as text, in the form of ILAsm (II.7.1) that `ilpatch list` prints.
using System.Collections.Immutable;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Text.RegularExpressions;

class Texts : ISignatureTypeProvider<string, object>
{
    public static string NameOf(MetadataReader reader, EntityHandle handle)
    {
        if (handle.Kind == HandleKind.TypeDefinition) {
            TypeDefinition type = reader.GetTypeDefinition((TypeDefinitionHandle)handle);
            return Join(reader, type.Namespace, type.Name, type.GetDeclaringType());
        }
        TypeReference reference = reader.GetTypeReference((TypeReferenceHandle)handle);
        EntityHandle scope = reference.ResolutionScope;
        return Join(reader, reference.Namespace, reference.Name,
                    scope.Kind == HandleKind.TypeReference ? scope : default);
    }

    static string Join(MetadataReader reader, StringHandle space, StringHandle name, EntityHandle outer)
    {
        string own = (space.IsNil ? "" : reader.GetString(space) + ".") + reader.GetString(name);
        return outer.IsNil ? own : NameOf(reader, outer) + "/" + own;
    }

    static string Marked(MetadataReader reader, EntityHandle handle, byte kind)
        => (kind == (byte)SignatureTypeKind.ValueType ? "valuetype " : "class ") + NameOf(reader, handle);

    public string GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte kind)
        => Marked(reader, handle, kind);
    public string GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte kind)
        => Marked(reader, handle, kind);
    public string GetTypeFromSpecification(MetadataReader reader, object context, TypeSpecificationHandle handle,
                                           byte kind)
        => reader.GetTypeSpecification(handle).DecodeSignature(this, context);
    public string GetGenericInstantiation(string type, ImmutableArray<string> arguments)
        => type + "<" + string.Join(",", arguments) + ">";
    public string GetArrayType(string type, ArrayShape shape)
        => type + "[" + string.Join(",", Enumerable.Range(0, shape.Rank).Select(i => Dimension(shape, i))) + "]";

    static string Dimension(ArrayShape shape, int i)
    {
        int low = i < shape.LowerBounds.Length ? shape.LowerBounds[i] : 0;
        return i < shape.Sizes.Length ? low + "..." + (low + shape.Sizes[i] - 1)
               : i < shape.LowerBounds.Length ? low + "..." : "";
    }

    public string GetSZArrayType(string type) => type + "[]";
    public string GetByReferenceType(string type) => type + "&";
    public string GetPointerType(string type) => type + "*";
    public string GetPinnedType(string type) => type + " pinned";
    public string GetGenericMethodParameter(object context, int index) => "!!" + index;
    public string GetGenericTypeParameter(object context, int index)
        => context is string[] arguments && index < arguments.Length ? arguments[index] : "!" + index;
    public string GetFunctionPointerType(MethodSignature<string> signature)
        => "method " + Convention(signature.Header) + signature.ReturnType + " *(" +
           string.Join(", ", signature.ParameterTypes) + ")";
    public string GetModifiedType(string modifier, string type, bool required)
        => type + (required ? " modreq(" : " modopt(") + Bare(modifier) + ")";

    public static string Convention(SignatureHeader header)
        => (header.IsInstance ? "instance " : "") + (header.HasExplicitThis ? "explicit " : "") +
           header.CallingConvention switch {
               SignatureCallingConvention.VarArgs => "vararg ",
               SignatureCallingConvention.Unmanaged => "unmanaged ",
               SignatureCallingConvention.CDecl => "unmanaged cdecl ",
               SignatureCallingConvention.StdCall => "unmanaged stdcall ",
               SignatureCallingConvention.ThisCall => "unmanaged thiscall ",
               SignatureCallingConvention.FastCall => "unmanaged fastcall ",
               _ => "",
           };

    // What exact conditions compare: without class and valuetype, spaces after commas, and bounds that are 0.
    public static string Spelled(string types)
        => Regex.Replace(Regex.Replace(Regex.Replace(types, @"(?<![^ <,(])(class|valuetype) ", ""), ", +", ","),
                         @"\[[^\]]*,[^\]]*\]", shape => Regex.Replace(shape.Value, @"(?<=[\[,])0\.\.\.(?=[,\]])", ""));

    // Without a leading class or valuetype.
    public static string Bare(string type)
        => type.StartsWith("class ") ? type[6..] : type.StartsWith("valuetype ") ? type[10..] : type;

    public string GetPrimitiveType(PrimitiveTypeCode code) => code switch {
        PrimitiveTypeCode.SByte => "int8",
        PrimitiveTypeCode.Byte => "uint8",
        PrimitiveTypeCode.Int16 => "int16",
        PrimitiveTypeCode.UInt16 => "uint16",
        PrimitiveTypeCode.Int32 => "int32",
        PrimitiveTypeCode.UInt32 => "uint32",
        PrimitiveTypeCode.Int64 => "int64",
        PrimitiveTypeCode.UInt64 => "uint64",
        PrimitiveTypeCode.Single => "float32",
        PrimitiveTypeCode.Double => "float64",
        PrimitiveTypeCode.Boolean => "bool",
        PrimitiveTypeCode.IntPtr => "native int",
        PrimitiveTypeCode.UIntPtr => "native uint",
        PrimitiveTypeCode.TypedReference => "typedref",
        _ => code.ToString().ToLowerInvariant(), // void, char, string, object
    };
}

// The same without custom modifiers, which conditions on the returned type do not see.
class UnmodifiedTexts : Texts, ISignatureTypeProvider<string, object>
{
    string ISignatureTypeProvider<string, object>.GetModifiedType(string modifier, string type, bool required) => type;
}
