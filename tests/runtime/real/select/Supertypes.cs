// What a type derives from and implements, by System.Reflection.Metadata: each generic type by its definition and as the
// instance it is, with type parameters replaced by what they mean.
using System.Collections.Generic;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

class Supertypes
{
    public readonly List<string> Bases = new(), Interfaces = new();
    public bool BasesOpen, InterfacesOpen; // something was not found, and may derive from more

    static readonly Texts texts = new();
    readonly HashSet<(string, TypeDefinitionHandle, string, bool)> seen = new();

    public Supertypes(Library library, TypeDefinitionHandle type) => Visit(library, type, [], true);

    void Visit(Library library, TypeDefinitionHandle handle, string[] arguments, bool isBase)
    {
        if (!seen.Add((library.Path, handle, string.Join("|", arguments), isBase))) {
            return;
        }
        TypeDefinition type = library.Reader.GetTypeDefinition(handle);
        if (isBase && !type.BaseType.IsNil) {
            Add(library, type.BaseType, arguments, true);
        }
        foreach (InterfaceImplementationHandle row in type.GetInterfaceImplementations()) {
            Add(library, library.Reader.GetInterfaceImplementation(row).Interface, arguments, false);
        }
    }

    void Add(Library library, EntityHandle type, string[] context, bool isBase)
    {
        MetadataReader reader = library.Reader;
        var arguments = new List<string>();
        if (type.Kind == HandleKind.TypeSpecification) {
            BlobReader blob = reader.GetBlobReader(
                reader.GetTypeSpecification((TypeSpecificationHandle)type).Signature);
            blob.ReadByte(); // GENERICINST
            blob.ReadByte(); // CLASS or VALUETYPE
            type = blob.ReadTypeHandle();
            var decoder = new SignatureDecoder<string, object>(texts, reader, context);
            for (int count = blob.ReadCompressedInteger(); count > 0; count--) {
                arguments.Add(decoder.DecodeType(ref blob));
            }
        }
        string name = Texts.NameOf(reader, type);
        List<string> all = isBase ? Bases : Interfaces;
        all.Add(name);
        if (arguments.Count > 0) {
            all.Add(name + "<" + string.Join(",", arguments) + ">");
        }
        if (library.Resolve(type) is Definition found) {
            Visit(found.Library, found.Handle, arguments.ToArray(), isBase);
        } else if (name is not ("System.Object" or "System.ValueType")) {
            InterfacesOpen = true;
            BasesOpen |= isBase;
        }
    }
}
