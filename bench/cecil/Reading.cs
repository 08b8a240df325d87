// What reading alone takes with System.Reflection.Metadata, whose tables are views of the bytes: names, signatures and bodies of all
// methods. Nothing is changed or written, so it is less than either side of the benchmark does.
using System.Collections.Immutable;
using System.IO;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

static class Reading
{
    // A number that depends on all that was read.
    public static long Read(Stream input)
    {
        using var file = new PEReader(input, PEStreamOptions.PrefetchEntireImage | PEStreamOptions.LeaveOpen);
        MetadataReader metadata = file.GetMetadataReader();
        var shapes = new Shapes();
        long sum = 0;
        foreach (TypeDefinitionHandle handle in metadata.TypeDefinitions) {
            TypeDefinition type = metadata.GetTypeDefinition(handle);
            sum += metadata.GetString(type.Namespace).Length + metadata.GetString(type.Name).Length;
        }
        foreach (MethodDefinitionHandle handle in metadata.MethodDefinitions) {
            MethodDefinition method = metadata.GetMethodDefinition(handle);
            MethodSignature<int> signature = method.DecodeSignature(shapes, null);
            sum += metadata.GetString(method.Name).Length + signature.ReturnType;
            if (method.RelativeVirtualAddress != 0 && (method.ImplAttributes & System.Reflection.MethodImplAttributes.CodeTypeMask) == 0) {
                MethodBodyBlock body = file.GetMethodBody(method.RelativeVirtualAddress);
                sum += body.MaxStack + body.ExceptionRegions.Length;
                for (BlobReader il = body.GetILReader(); il.RemainingBytes > 0;) {
                    sum += il.ReadByte();
                }
            }
        }
        return sum;
    }

    // Of a type no more than how many parts it has.
    sealed class Shapes : ISignatureTypeProvider<int, object>
    {
        public int GetPrimitiveType(PrimitiveTypeCode code) => (int)code;
        public int GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte kind) => 1;
        public int GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte kind) => 1;
        public int GetTypeFromSpecification(MetadataReader reader, object context, TypeSpecificationHandle handle, byte kind) => 1;
        public int GetSZArrayType(int element) => element + 1;
        public int GetArrayType(int element, ArrayShape shape) => element + shape.Rank;
        public int GetByReferenceType(int element) => element + 1;
        public int GetPointerType(int element) => element + 1;
        public int GetPinnedType(int element) => element + 1;
        public int GetModifiedType(int modifier, int type, bool required) => modifier + type;
        public int GetGenericMethodParameter(object context, int index) => index;
        public int GetGenericTypeParameter(object context, int index) => index;
        public int GetFunctionPointerType(MethodSignature<int> signature) => signature.ReturnType;

        public int GetGenericInstantiation(int type, ImmutableArray<int> arguments)
        {
            foreach (int argument in arguments) {
                type += argument;
            }
            return type;
        }
    }
}
