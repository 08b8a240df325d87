// Says, from what System.Reflection.Metadata reads here and in the assemblies around, which methods have a value that can be inspected.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

enum Inspect { No, Yes, Unknown }

sealed class Expected
{
    public const int RuntimeAsync = 0x2000; // MethodImplOptions.Async of .NET 10: not what the signature says is on the stack
    const int AllowsRefStruct = 0x20;     // GenericParamAttributes.AllowByRefLike of .NET 9

    readonly MetadataReader reader;
    readonly List<string> references;
    readonly bool asyncResults; // async methods show their results, not their tasks
    readonly Dictionary<EntityHandle, Inspect> known = new();

    public Expected(MetadataReader reader, List<string> references, bool asyncResults)
    {
        this.reader = reader;
        this.references = references;
        this.asyncResults = asyncResults;
    }

    public Inspect For(MethodDefinitionHandle handle)
    {
        MethodDefinition method = reader.GetMethodDefinition(handle);
        if (((int)method.ImplAttributes & RuntimeAsync) != 0) {
            return Inspect.Unknown;
        }
        if (asyncResults && Has(reader, method.GetCustomAttributes(), "System.Runtime.CompilerServices", "AsyncStateMachineAttribute")) {
            return Inspect.Unknown;
        }
        byte[] type = Inserted.ReturnType(reader.GetBlobReader(method.Signature));
        switch (type[0]) {
        case 0x01: case 0x0F: case 0x10: case 0x16: case 0x1B: // void, pointer, reference, TypedReference, function pointer
            return Inspect.No;
        case 0x13:
            return Parameter(reader.GetTypeDefinition(method.GetDeclaringType()).GetGenericParameters(), type);
        case 0x1E:
            return Parameter(method.GetGenericParameters(), type);
        case 0x11:
            return ValueType(MetadataTokens.EntityHandle(Inserted.TypeDefOrRef(type, 1)));
        case 0x15 when type[1] == 0x11:
            return ValueType(MetadataTokens.EntityHandle(Inserted.TypeDefOrRef(type, 2)));
        default:
            return Inspect.Yes;
        }
    }

    Inspect Parameter(GenericParameterHandleCollection parameters, byte[] type)
    {
        int number = type[1];
        return number >= parameters.Count ? Inspect.Unknown
            : ((int)reader.GetGenericParameter(parameters[number]).Attributes & AllowsRefStruct) != 0 ? Inspect.No : Inspect.Yes;
    }

    Inspect ValueType(EntityHandle type)
    {
        if (!known.TryGetValue(type, out Inspect inspect)) {
            known[type] = inspect = type.Kind switch {
                HandleKind.TypeDefinition => Defined(reader, (TypeDefinitionHandle)type),
                HandleKind.TypeReference => Referred((TypeReferenceHandle)type),
                _ => Inspect.Unknown
            };
        }
        return inspect;
    }

    Inspect Referred(TypeReferenceHandle handle)
    {
        (MetadataReader Reader, TypeDefinitionHandle Type) found = Resolve(reader, handle);
        return found.Reader == null ? Inspect.Unknown : Defined(found.Reader, found.Type); // if it is not on this machine: whatever ilpatch does
    }

    static Inspect Defined(MetadataReader reader, TypeDefinitionHandle handle)
    {
        TypeDefinition type = reader.GetTypeDefinition(handle);
        return Has(reader, type.GetCustomAttributes(), "System.Runtime.CompilerServices", "IsByRefLikeAttribute")
               || Inserted.NameOf(reader, handle) is "System.TypedReference" or "System.ArgIterator" or "System.RuntimeArgumentHandle"
            ? Inspect.No : Inspect.Yes;
    }

    static bool Has(MetadataReader reader, CustomAttributeHandleCollection attributes, string space, string name)
    {
        foreach (CustomAttributeHandle handle in attributes) {
            EntityHandle constructor = reader.GetCustomAttribute(handle).Constructor;
            EntityHandle type = constructor.Kind == HandleKind.MemberReference
                ? reader.GetMemberReference((MemberReferenceHandle)constructor).Parent
                : reader.GetMethodDefinition((MethodDefinitionHandle)constructor).GetDeclaringType();
            if (type.Kind == HandleKind.TypeReference) {
                TypeReference reference = reader.GetTypeReference((TypeReferenceHandle)type);
                if (reader.StringComparer.Equals(reference.Name, name) && reader.StringComparer.Equals(reference.Namespace, space)) {
                    return true;
                }
            } else if (type.Kind == HandleKind.TypeDefinition) {
                TypeDefinition definition = reader.GetTypeDefinition((TypeDefinitionHandle)type);
                if (reader.StringComparer.Equals(definition.Name, name) && reader.StringComparer.Equals(definition.Namespace, space)) {
                    return true;
                }
            }
        }
        return false;
    }

    // ---- types of other assemblies ----

    static readonly Dictionary<string, Assembly> Assemblies = new(); // by path; null for what cannot be read

    sealed class Assembly
    {
        public MetadataReader Reader;
        public readonly Dictionary<string, TypeDefinitionHandle> Types = new(); // those that are not nested, and those that are: Outer/Inner
        public readonly Dictionary<string, string> Forwarded = new();           // to the assembly of that name
    }

    // The first one of a name, as ilpatch takes it: what a reference says of its version is not compared.
    Assembly Find(string name)
    {
        foreach (string path in references.SelectMany(r => new[] { $"{r}/{name}.dll", $"{r}/{name}.exe" })) {
            if (!Assemblies.TryGetValue(path, out Assembly found)) {
                Assemblies[path] = found = Open(path);
            }
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    static Assembly Open(string path)
    {
        try {
            if (!File.Exists(path)) {
                return null;
            }
            var assembly = new Assembly { Reader = new PEReader(new MemoryStream(File.ReadAllBytes(path))).GetMetadataReader() };
            foreach (TypeDefinitionHandle handle in assembly.Reader.TypeDefinitions) {
                assembly.Types[Inserted.NameOf(assembly.Reader, handle)] = handle;
            }
            foreach (ExportedTypeHandle handle in assembly.Reader.ExportedTypes) {
                ExportedType type = assembly.Reader.GetExportedType(handle);
                if (type.Implementation.Kind == HandleKind.AssemblyReference) {
                    string space = assembly.Reader.GetString(type.Namespace);
                    assembly.Forwarded[(space == "" ? "" : space + ".") + assembly.Reader.GetString(type.Name)] =
                        assembly.Reader.GetString(assembly.Reader.GetAssemblyReference((AssemblyReferenceHandle)type.Implementation).Name);
                }
            }
            return assembly;
        } catch (Exception e) when (e is BadImageFormatException or InvalidOperationException) {
            return null;
        }
    }

    (MetadataReader, TypeDefinitionHandle) Resolve(MetadataReader from, TypeReferenceHandle handle)
    {
        TypeReference type = from.GetTypeReference(handle);
        string space = from.GetString(type.Namespace);
        string name = (space == "" ? "" : space + ".") + from.GetString(type.Name), outermost = name;
        while (type.ResolutionScope.Kind == HandleKind.TypeReference) {
            type = from.GetTypeReference((TypeReferenceHandle)type.ResolutionScope);
            space = from.GetString(type.Namespace);
            outermost = (space == "" ? "" : space + ".") + from.GetString(type.Name);
            name = outermost + "/" + name;
        }
        if (type.ResolutionScope.Kind != HandleKind.AssemblyReference) {
            return default;
        }
        string assembly = from.GetString(from.GetAssemblyReference((AssemblyReferenceHandle)type.ResolutionScope).Name);
        for (int hops = 0; hops < 8; hops++) {
            Assembly found = Find(assembly);
            if (found == null) {
                break;
            }
            if (found.Types.TryGetValue(name, out TypeDefinitionHandle definition)) {
                return (found.Reader, definition);
            }
            if (!found.Forwarded.TryGetValue(outermost, out assembly)) {
                break;
            }
        }
        return default;
    }
}
