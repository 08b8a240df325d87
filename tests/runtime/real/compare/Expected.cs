// Says, from what Mono.Cecil reads and resolves, which methods have a value that can be inspected.
using System.Collections.Generic;
using System.Linq;
using Mono.Cecil;

enum Inspect { No, Yes, Unknown }

static class Expected
{
    const int RuntimeAsync = 0x2000;      // MethodImplOptions.Async of .NET 10: not what the signature says is on the stack
    const int AllowsRefStruct = 0x20;     // GenericParamAttributes.AllowByRefLike of .NET 9

    public static Inspect For(MethodDefinition method)
    {
        if (((int)method.ImplAttributes & RuntimeAsync) != 0) {
            return Inspect.Unknown;
        }
        TypeReference type = Inserted.Unmodified(method.ReturnType);
        switch (type.MetadataType) {
        case MetadataType.Void:
        case MetadataType.ByReference:
        case MetadataType.Pointer:
        case MetadataType.FunctionPointer:
        case MetadataType.TypedByReference:
            return Inspect.No;
        case MetadataType.Var:
        case MetadataType.MVar:
            return ((int)((GenericParameter)type).Attributes & AllowsRefStruct) != 0 ? Inspect.No : Inspect.Yes;
        case MetadataType.ValueType:
        case MetadataType.GenericInstance when type.IsValueType:
            return ValueType(type.GetElementType());
        default:
            return Inspect.Yes;
        }
    }

    static readonly Dictionary<TypeReference, Inspect> Known = new();

    static Inspect ValueType(TypeReference type)
    {
        if (!Known.TryGetValue(type, out Inspect inspect)) {
            TypeDefinition definition = null;
            try {
                definition = type.Resolve();
            } catch (AssemblyResolutionException) {
                // Not on this machine: whatever ilpatch does.
            }
            Known[type] = inspect = definition == null ? Inspect.Unknown
                : definition.CustomAttributes.Any(
                      a => a.AttributeType.FullName == "System.Runtime.CompilerServices.IsByRefLikeAttribute")
                  || definition.FullName is "System.TypedReference" or "System.ArgIterator"
                                         or "System.RuntimeArgumentHandle"
                ? Inspect.No : Inspect.Yes;
        }
        return inspect;
    }
}
