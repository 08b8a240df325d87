// Finds the definitions of types in referenced assemblies, through type forwarders (II.22.14), by
// System.Reflection.Metadata alone.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

// A type definition and the file that has it.
record struct Definition(Library Library, TypeDefinitionHandle Handle)
{
    public TypeDefinition Row => Library.Reader.GetTypeDefinition(Handle);
}

class Library
{
    public readonly string Path;
    public readonly PEReader Pe;
    public readonly MetadataReader Reader;
    public readonly MetadataReader Symbols; // null: there is no Portable PDB
    readonly References references;
    readonly Dictionary<MethodDefinitionHandle, MethodDefinitionHandle> moveNext = new();
    readonly Dictionary<(string, string), TypeDefinitionHandle> types = new();
    readonly Dictionary<(string, string), EntityHandle> forwarded = new();

    public Library(string path, References references)
    {
        Path = path;
        this.references = references;
        Pe = new PEReader(new MemoryStream(File.ReadAllBytes(path)));
        Reader = Pe.GetMetadataReader();
        if (Pe.TryOpenAssociatedPortablePdb(path, file => File.Exists(file) ? File.OpenRead(file) : null,
                                            out MetadataReaderProvider symbols, out _)) {
            Symbols = symbols.GetMetadataReader();
            foreach (MethodDebugInformationHandle method in Symbols.MethodDebugInformation) {
                MethodDefinitionHandle kickoff =
                    Symbols.GetMethodDebugInformation(method).GetStateMachineKickoffMethod();
                if (!kickoff.IsNil) {
                    moveNext[kickoff] = method.ToDefinitionHandle();
                }
            }
        }
        foreach (TypeDefinitionHandle handle in Reader.TypeDefinitions) {
            TypeDefinition type = Reader.GetTypeDefinition(handle);
            if (type.GetDeclaringType().IsNil) {
                types.TryAdd((Reader.GetString(type.Namespace), Reader.GetString(type.Name)), handle);
            }
        }
        foreach (ExportedTypeHandle handle in Reader.ExportedTypes) {
            ExportedType type = Reader.GetExportedType(handle);
            if (type.Implementation.Kind == HandleKind.AssemblyReference) {
                forwarded.TryAdd((Reader.GetString(type.Namespace), Reader.GetString(type.Name)), type.Implementation);
            }
        }
    }

    // The source files of a method's visible sequence points, or of those of its state machine.
    public string[] SourcesOf(MethodDefinitionHandle method)
    {
        string[] files = Symbols.GetMethodDebugInformation(method).GetSequencePoints()
                             .Where(point => !point.IsHidden).Select(point => point.Document).Distinct()
                             .Select(file => Symbols.GetString(Symbols.GetDocument(file).Name).Replace('\\', '/'))
                             .ToArray();
        return files.Length == 0 && moveNext.TryGetValue(method, out MethodDefinitionHandle next)
                   ? SourcesOf(next) : files;
    }

    // IL alone with the machine i386 runs anywhere; with another, on that one alone (II.25.2.2).
    public bool MayRunOnX86
        => Pe.PEHeaders.CoffHeader.Machine == Machine.I386 && Pe.PEHeaders.PEHeader.Magic == PEMagic.PE32;

    // The definition of a top-level type, here or where it was forwarded to.
    Definition? Find(string space, string name, int hops = 0)
    {
        if (types.TryGetValue((space, name), out TypeDefinitionHandle handle)) {
            return new Definition(this, handle);
        }
        return hops < 8 && forwarded.TryGetValue((space, name), out EntityHandle to)
                   ? references.Find(Reader, (AssemblyReferenceHandle)to)?.Find(space, name, hops + 1)
                   : null;
    }

    // Of a TypeDef or TypeRef; null for one that cannot be found.
    public Definition? Resolve(EntityHandle handle)
    {
        if (handle.Kind == HandleKind.TypeDefinition) {
            return new Definition(this, (TypeDefinitionHandle)handle);
        }
        TypeReference type = Reader.GetTypeReference((TypeReferenceHandle)handle);
        string space = Reader.GetString(type.Namespace), name = Reader.GetString(type.Name);
        switch (type.ResolutionScope.Kind) {
        case HandleKind.TypeReference:
            return Resolve(type.ResolutionScope) is not Definition outer
                       ? null
                       : outer.Row.GetNestedTypes()
                             .Where(nested => outer.Library.Reader.StringComparer.Equals(
                                        outer.Library.Reader.GetTypeDefinition(nested).Name, name))
                             .Select(nested => (Definition?)new Definition(outer.Library, nested))
                             .FirstOrDefault();
        case HandleKind.AssemblyReference:
            return references.Find(Reader, (AssemblyReferenceHandle)type.ResolutionScope)?.Find(space, name);
        default:
            return Find(space, name);
        }
    }
}

class References
{
    readonly string[] folders;
    readonly Dictionary<string, Library> libraries = new(StringComparer.OrdinalIgnoreCase);

    public References(IEnumerable<string> folders) => this.folders = folders.ToArray();

    public Library Find(MetadataReader reader, AssemblyReferenceHandle handle)
    {
        string name = reader.GetString(reader.GetAssemblyReference(handle).Name);
        if (!libraries.TryGetValue(name, out Library library)) {
            string path = folders.Select(folder => Path.Combine(folder, name + ".dll")).FirstOrDefault(File.Exists);
            library = libraries[name] = path == null ? null : new Library(path, this);
        }
        return library;
    }
}
