// What conditions can test of a method, read from its rows as the words in include/ilpatch/rules.def describe them.
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

// The outermost part of a type, without custom modifiers: a word for it, and its definition if it has one.
record struct Shape(string Word, EntityHandle Type);

class Shapes : ISignatureTypeProvider<Shape, object>
{
    static Shape Named(EntityHandle type, byte kind)
        => new(kind == (byte)SignatureTypeKind.ValueType ? "valuetype" : "class", type);

    public Shape GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle type, byte kind)
        => Named(type, kind);
    public Shape GetTypeFromReference(MetadataReader reader, TypeReferenceHandle type, byte kind)
        => Named(type, kind);
    public Shape GetTypeFromSpecification(MetadataReader reader, object context, TypeSpecificationHandle type,
                                          byte kind) => default;
    public Shape GetGenericInstantiation(Shape type, ImmutableArray<Shape> arguments) => type;
    public Shape GetModifiedType(Shape modifier, Shape type, bool required) => type;
    public Shape GetArrayType(Shape type, ArrayShape shape) => new("class", default);
    public Shape GetSZArrayType(Shape type) => new("class", default);
    public Shape GetPinnedType(Shape type) => type;
    public Shape GetByReferenceType(Shape type) => new("byref", default);
    public Shape GetPointerType(Shape type) => new("pointer", default);
    public Shape GetFunctionPointerType(MethodSignature<Shape> signature) => new("pointer", default);
    public Shape GetGenericMethodParameter(object context, int index) => new("generic", default);
    public Shape GetGenericTypeParameter(object context, int index) => new("generic", default);
    public Shape GetPrimitiveType(PrimitiveTypeCode code) => new(code switch {
        PrimitiveTypeCode.Void => "void",
        PrimitiveTypeCode.String or PrimitiveTypeCode.Object => "class",
        PrimitiveTypeCode.TypedReference => "struct",
        _ => "primitive",
    }, default);
}

class Subject
{
    public readonly Library Library;
    public readonly MethodDefinitionHandle Handle;
    public readonly MethodDefinition Row;
    public readonly TypeDefinition Owner;
    public readonly string Name, TypeName, Namespace, Returns, Signature;
    public readonly string[] Parameters; // their types
    readonly Shape shape;
    readonly List<TypeDefinition> around = new(); // its type and those around that, from within
    readonly HashSet<string> semantics;

    static readonly Texts texts = new(), unmodified = new UnmodifiedTexts();
    static readonly Shapes shapes = new();

    MetadataReader Reader => Library.Reader;
    public int Token => MetadataTokens.GetToken(Handle);

    public Subject(Library library, MethodDefinitionHandle handle, HashSet<string> semantics)
    {
        Library = library;
        Handle = handle;
        this.semantics = semantics;
        Row = Reader.GetMethodDefinition(handle);
        for (TypeDefinitionHandle type = Row.GetDeclaringType(); !type.IsNil; type = around[^1].GetDeclaringType()) {
            around.Add(Reader.GetTypeDefinition(type));
        }
        Owner = around[0];
        Name = Reader.GetString(Row.Name);
        TypeName = Texts.NameOf(Reader, Row.GetDeclaringType());
        Namespace = Reader.GetString(around[^1].Namespace);
        MethodSignature<string> signature = Row.DecodeSignature(texts, null);
        string count = signature.GenericParameterCount > 0 ? "<" + signature.GenericParameterCount + ">" : "";
        Signature = Texts.Convention(signature.Header) + signature.ReturnType + " " + TypeName + "::" + Name + count +
                    "(" + string.Join(", ", signature.ParameterTypes) + ")";
        MethodSignature<string> bare = Row.DecodeSignature(unmodified, null);
        Returns = bare.ReturnType;
        Parameters = bare.ParameterTypes.Select(Texts.Bare).ToArray();
        shape = Row.DecodeSignature(shapes, null).ReturnType;
    }

    // ---- the returned type ----

    readonly Dictionary<string, bool?> kinds = new();

    public bool? ReturnIs(string kind)
    {
        if (!kinds.TryGetValue(kind, out bool? truth)) {
            kinds[kind] = truth = FindKind(kind);
        }
        return truth;
    }

    // null where a type that decides it cannot be found.
    bool? FindKind(string kind)
    {
        Definition? definition = shape.Type.IsNil ? null : Library.Resolve(shape.Type);
        switch (kind) {
        case "enum":
        case "struct":
            if (shape.Word != "valuetype") {
                return shape.Word == kind;
            }
            return definition is Definition known ? IsEnum(known) == (kind == "enum") : null;
        case "task":
            if (shape.Type.IsNil) {
                return false;
            }
            if (Texts.NameOf(Reader, shape.Type) is "System.Threading.Tasks.Task" or "System.Threading.Tasks.Task`1"
                    or "System.Threading.Tasks.ValueTask" or "System.Threading.Tasks.ValueTask`1") {
                return true;
            }
            return definition is Definition type
                ? AttributesOf(type.Library.Reader, type.Row.GetCustomAttributes())
                      .Contains("System.Runtime.CompilerServices.AsyncMethodBuilderAttribute")
                : null;
        default:
            return shape.Word == kind;
        }
    }

    static bool IsEnum(Definition type)
        => !type.Row.BaseType.IsNil && type.Row.BaseType.Kind != HandleKind.TypeSpecification &&
           Texts.NameOf(type.Library.Reader, type.Row.BaseType) == "System.Enum";

    // ---- names, flags, relations ----

    static readonly Dictionary<(Library, TypeDefinitionHandle), Supertypes> supertypes = new();

    public Supertypes Supertypes
    {
        get
        {
            var key = (Library, Row.GetDeclaringType());
            return supertypes.TryGetValue(key, out Supertypes known)
                       ? known : supertypes[key] = new Supertypes(Library, key.Item2);
        }
    }

    public string KeyToken
    {
        get
        {
            byte[] token = Reader.GetAssemblyDefinition().GetAssemblyName().GetPublicKeyToken();
            return token == null || token.Length == 0 ? "none" : Convert.ToHexString(token).ToLowerInvariant();
        }
    }

    public int TypeArity => Owner.GetGenericParameters().Count;
    public int Arity => Row.GetGenericParameters().Count;
    public bool Nested => around.Count > 1;

    public string TypeVisibility => (Owner.Attributes & TypeAttributes.VisibilityMask) switch {
        TypeAttributes.Public or TypeAttributes.NestedPublic => "public",
        TypeAttributes.NestedPrivate => "private",
        TypeAttributes.NestedFamily => "family",
        TypeAttributes.NestedFamANDAssem => "famandassem",
        TypeAttributes.NestedFamORAssem => "famorassem",
        _ => "assembly",
    };

    public string Visibility => (Row.Attributes & MethodAttributes.MemberAccessMask) switch {
        MethodAttributes.Public => "public",
        MethodAttributes.Private => "private",
        MethodAttributes.Family => "family",
        MethodAttributes.FamANDAssem => "famandassem",
        MethodAttributes.FamORAssem => "famorassem",
        MethodAttributes.Assembly => "assembly",
        _ => "privatescope",
    };

    bool IsConstructor => Name is ".ctor" or ".cctor";
    bool IsOperator => Name.StartsWith("op_") && Row.Attributes.HasFlag(MethodAttributes.SpecialName);

    public bool Is(string role) => role switch {
        "accessor" => semantics != null,
        "constructor" => IsConstructor,
        "operator" => IsOperator,
        "ordinary" => semantics == null && !IsConstructor && !IsOperator,
        _ => semantics != null && semantics.Contains(role), // getter, setter, event
    };

    bool? generated;
    public bool IsGenerated
        => generated ??= around.Select(type => type.GetCustomAttributes()).Prepend(Row.GetCustomAttributes())
               .Any(all => AttributesOf(Reader, all)
                               .Contains("System.Runtime.CompilerServices.CompilerGeneratedAttribute"));

    // The names of the attributes on the method, the type or the assembly.
    public IEnumerable<string> AttributesOn(string place) => AttributesOf(Reader, place switch {
        "type" => Owner.GetCustomAttributes(),
        "assembly" => Reader.GetAssemblyDefinition().GetCustomAttributes(),
        _ => Row.GetCustomAttributes(),
    });

    public static IEnumerable<string> AttributesOf(MetadataReader reader, CustomAttributeHandleCollection attributes)
    {
        foreach (CustomAttributeHandle handle in attributes) {
            EntityHandle constructor = reader.GetCustomAttribute(handle).Constructor;
            EntityHandle type = constructor.Kind == HandleKind.MethodDefinition
                                    ? reader.GetMethodDefinition((MethodDefinitionHandle)constructor).GetDeclaringType()
                                    : reader.GetMemberReference((MemberReferenceHandle)constructor).Parent;
            if (type.Kind != HandleKind.TypeSpecification) {
                yield return Texts.NameOf(reader, type);
            }
        }
    }

    // ---- the body ----

    MethodBodyBlock Body
        => Row.RelativeVirtualAddress != 0 &&
                   (Row.ImplAttributes & MethodImplAttributes.CodeTypeMask) == MethodImplAttributes.IL
               ? Library.Pe.GetMethodBody(Row.RelativeVirtualAddress) : null;

    public int? CodeSize => Body?.GetILReader().Length;
    public bool? HasTry => Body == null ? null : Body.ExceptionRegions.Length > 0;
    public bool? HasTail => Body == null ? null : HasTailPrefix(Body.GetILReader());

    static readonly Dictionary<int, OpCode> opcodes =
        typeof(OpCodes).GetFields().Select(field => (OpCode)field.GetValue(null))
            .ToDictionary(code => code.Value & 0xFFFF);

    static bool HasTailPrefix(BlobReader il)
    {
        while (il.RemainingBytes > 0) {
            int value = il.ReadByte();
            OpCode code = opcodes[value == 0xFE ? value << 8 | il.ReadByte() : value];
            if (code == OpCodes.Tailcall) {
                return true;
            }
            int skip = code.OperandType switch {
                OperandType.InlineNone => 0,
                OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
                OperandType.InlineVar => 2,
                OperandType.InlineI8 or OperandType.InlineR => 8,
                OperandType.InlineSwitch => il.ReadInt32() * 4,
                _ => 4,
            };
            il.Offset += skip;
        }
        return false;
    }
}
