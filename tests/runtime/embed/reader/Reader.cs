// Reader FILE [MARK]: reads all of an assembly and checks what loaders rely on; then lists its types with all that
// belongs to them, by names. With a MARK only the types in namespaces that begin with it, without the mark, so that
// what was embedded can be compared with the inspector it comes from.
using System.Collections.Immutable;
using System.Reflection;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Text;

static class Program
{
    static int Main(string[] arguments)
    {
        using var pe = new PEReader(File.OpenRead(arguments[0]));
        string mark = arguments.Length > 1 ? arguments[1] : "";
        MetadataReader reader = pe.GetMetadataReader();
        var lister = new Lister(pe, reader, mark);
        int bad = 0;
        foreach (string complaint in Checks.Run(reader)) {
            Console.Error.WriteLine(complaint);
            bad++;
        }
        foreach (TypeDefinitionHandle type in reader.TypeDefinitions) {
            string text = lister.Type(type);
            if (lister.IsMarked(type)) {
                Console.Write(text);
            }
        }
        return bad == 0 ? 0 : 1;
    }
}

static class Checks
{
    public static IEnumerable<string> Run(MetadataReader reader)
    {
        int lastMethod = 0, lastField = 0;
        foreach (TypeDefinitionHandle handle in reader.TypeDefinitions) {
            TypeDefinition type = reader.GetTypeDefinition(handle);
            int row = MetadataTokens.GetRowNumber(handle);
            TypeDefinitionHandle outer = type.GetDeclaringType();
            if (!outer.IsNil && MetadataTokens.GetRowNumber(outer) >= row) {
                yield return $"type {row} is before the type it is nested in";
            }
            if (type.Attributes.IsNested() != !outer.IsNil) {
                yield return $"type {row}: nesting and visibility disagree";
            }
            foreach (MethodDefinitionHandle method in type.GetMethods()) {
                if (MetadataTokens.GetRowNumber(method) != ++lastMethod) {
                    yield return $"type {row}: methods are not one run";
                }
                foreach (GenericParameterHandle parameter in reader.GetMethodDefinition(method).GetGenericParameters()) {
                    if (reader.GetGenericParameter(parameter).Parent != (EntityHandle)method) {
                        yield return $"method {lastMethod}: another one's generic parameters";
                    }
                }
            }
            foreach (FieldDefinitionHandle field in type.GetFields()) {
                if (MetadataTokens.GetRowNumber(field) != ++lastField) {
                    yield return $"type {row}: fields are not one run";
                }
            }
        }
        if (lastMethod != reader.MethodDefinitions.Count || lastField != reader.FieldDefinitions.Count) {
            yield return "a method or field has no type";
        }
        int parent = 0;
        foreach (CustomAttributeHandle handle in reader.CustomAttributes) {
            int key = CodedIndex.HasCustomAttribute(reader.GetCustomAttribute(handle).Parent);
            if (key < parent) {
                yield return "custom attributes are not sorted";
            }
            parent = key;
        }
    }

    static bool IsNested(this TypeAttributes attributes) =>
        (attributes & TypeAttributes.VisibilityMask) >= TypeAttributes.NestedPublic;
}

// Types by their names, without the assemblies they come from.
sealed class Names : ISignatureTypeProvider<string, object>, ICustomAttributeTypeProvider<string>
{
    readonly MetadataReader reader;
    readonly string mark;
    public Names(MetadataReader reader, string mark) { this.reader = reader; this.mark = mark; }

    public string Clean(string name) => mark == "" ? name : name.Replace(mark + ".", "");
    string Full(StringHandle space, StringHandle name) =>
        (space.IsNil ? "" : Clean(reader.GetString(space) + ".")) + reader.GetString(name);

    public string Handle(EntityHandle handle) => handle.Kind switch {
        HandleKind.TypeDefinition => GetTypeFromDefinition(reader, (TypeDefinitionHandle)handle, 0),
        HandleKind.TypeReference => GetTypeFromReference(reader, (TypeReferenceHandle)handle, 0),
        HandleKind.TypeSpecification => reader.GetTypeSpecification((TypeSpecificationHandle)handle).DecodeSignature(this, null),
        _ => throw new BadImageFormatException(handle.Kind.ToString()),
    };

    public string GetTypeFromDefinition(MetadataReader r, TypeDefinitionHandle handle, byte kind)
    {
        TypeDefinition type = r.GetTypeDefinition(handle);
        TypeDefinitionHandle outer = type.GetDeclaringType();
        return (outer.IsNil ? "" : GetTypeFromDefinition(r, outer, 0) + "/") + Full(type.Namespace, type.Name);
    }

    public string GetTypeFromReference(MetadataReader r, TypeReferenceHandle handle, byte kind)
    {
        TypeReference type = r.GetTypeReference(handle);
        string outer = type.ResolutionScope.Kind == HandleKind.TypeReference ? Handle(type.ResolutionScope) + "/" : "";
        return outer + Full(type.Namespace, type.Name);
    }

    public string GetTypeFromSpecification(MetadataReader r, object c, TypeSpecificationHandle handle, byte kind) => Handle(handle);
    public string GetArrayType(string element, ArrayShape shape) => $"{element}[{shape.Rank};{string.Join(",", shape.Sizes)};{string.Join(",", shape.LowerBounds)}]";
    public string GetByReferenceType(string element) => element + "&";
    public string GetFunctionPointerType(MethodSignature<string> s) => $"fnptr {Method(s)}";
    public string GetGenericInstantiation(string type, ImmutableArray<string> arguments) => $"{type}<{string.Join(",", arguments)}>";
    public string GetGenericMethodParameter(object c, int index) => "!!" + index;
    public string GetGenericTypeParameter(object c, int index) => "!" + index;
    public string GetModifiedType(string modifier, string type, bool required) => $"{type} {(required ? "modreq" : "modopt")} {modifier}";
    public string GetPinnedType(string element) => element + " pinned";
    public string GetPointerType(string element) => element + "*";
    public string GetPrimitiveType(PrimitiveTypeCode code) => code.ToString();
    public string GetSZArrayType(string element) => element + "[]";
    public string GetSystemType() => "System.Type";
    public bool IsSystemType(string type) => type == "System.Type";
    public string GetTypeFromSerializedName(string name) => name == null ? null : Clean(name);
    public PrimitiveTypeCode GetUnderlyingEnumType(string type) => type.EndsWith("Own.Tools.Kind") ? PrimitiveTypeCode.Byte : PrimitiveTypeCode.Int32;
    public string Method(MethodSignature<string> s) =>
        $"{s.Header} {s.ReturnType}({string.Join(", ", s.ParameterTypes)}) <{s.GenericParameterCount}>";
}

sealed class Lister
{
    readonly PEReader pe;
    readonly MetadataReader reader;
    readonly string mark;
    readonly Names names;
    readonly StringBuilder text = new();
    bool listed;
    static readonly Dictionary<int, OpCode> opcodes = typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static)
        .Select(f => (OpCode)f.GetValue(null)!).ToDictionary(o => (int)(ushort)o.Value);

    public Lister(PEReader pe, MetadataReader reader, string mark)
    {
        this.pe = pe;
        this.reader = reader;
        this.mark = mark;
        names = new Names(reader, mark);
    }

    public bool IsMarked(TypeDefinitionHandle handle)
    {
        TypeDefinition type = reader.GetTypeDefinition(handle);
        for (; !type.GetDeclaringType().IsNil; type = reader.GetTypeDefinition(type.GetDeclaringType())) {
        }
        return reader.GetString(type.Namespace).StartsWith(mark) && reader.GetString(type.Name) != "<Module>";
    }

    public string Type(TypeDefinitionHandle handle)
    {
        TypeDefinition type = reader.GetTypeDefinition(handle);
        text.Clear();
        listed = IsMarked(handle);
        TypeLayout layout = type.GetLayout();
        text.AppendLine($"type {names.Handle(handle)} : {(type.BaseType.IsNil ? "" : names.Handle(type.BaseType))} " +
                        $"{type.Attributes & ~TypeAttributes.Public} {layout.Size} {layout.PackingSize}");
        Attributes(type.GetCustomAttributes());
        Generic(type.GetGenericParameters());
        foreach (InterfaceImplementationHandle h in type.GetInterfaceImplementations()) {
            text.AppendLine("  implements " + names.Handle(reader.GetInterfaceImplementation(h).Interface));
        }
        foreach (FieldDefinitionHandle h in type.GetFields()) Field(reader.GetFieldDefinition(h));
        foreach (MethodDefinitionHandle h in type.GetMethods()) Method(reader.GetMethodDefinition(h));
        foreach (PropertyDefinitionHandle h in type.GetProperties()) {
            PropertyDefinition property = reader.GetPropertyDefinition(h);
            PropertyAccessors by = property.GetAccessors();
            text.AppendLine($"  property {reader.GetString(property.Name)} {names.Method(property.DecodeSignature(names, null))} {Name(by.Getter)} {Name(by.Setter)}");
            Attributes(property.GetCustomAttributes());
        }
        foreach (EventDefinitionHandle h in type.GetEvents()) {
            EventDefinition e = reader.GetEventDefinition(h);
            text.AppendLine($"  event {reader.GetString(e.Name)} {names.Handle(e.Type)} {Name(e.GetAccessors().Adder)} {Name(e.GetAccessors().Remover)}");
        }
        foreach (MethodImplementationHandle h in type.GetMethodImplementations()) {
            MethodImplementation m = reader.GetMethodImplementation(h);
            text.AppendLine($"  override {Token(m.MethodDeclaration)} by {Token(m.MethodBody)}");
        }
        return text.ToString();
    }

    string Name(MethodDefinitionHandle h) => h.IsNil ? "-" : reader.GetString(reader.GetMethodDefinition(h).Name);

    void Field(FieldDefinition field)
    {
        text.AppendLine($"  field {reader.GetString(field.Name)} {field.DecodeSignature(names, null)} {field.Attributes} {field.GetOffset()} " +
                        $"{Constant(field.GetDefaultValue())} {Hex(reader.GetBlobBytes(field.GetMarshallingDescriptor()))}");
        if (field.GetRelativeVirtualAddress() != 0) {
            text.AppendLine("    data " + Hex(pe.GetSectionData(field.GetRelativeVirtualAddress()).GetContent(0, 8).ToArray()));
        }
        Attributes(field.GetCustomAttributes());
    }

    void Method(MethodDefinition method)
    {
        text.AppendLine($"  method {reader.GetString(method.Name)} {names.Method(method.DecodeSignature(names, null))} {method.Attributes} {method.ImplAttributes}");
        Attributes(method.GetCustomAttributes());
        Generic(method.GetGenericParameters());
        foreach (ParameterHandle h in method.GetParameters()) {
            Parameter p = reader.GetParameter(h);
            text.AppendLine($"    parameter {p.SequenceNumber} {reader.GetString(p.Name)} {p.Attributes} {Constant(p.GetDefaultValue())}");
            Attributes(p.GetCustomAttributes());
        }
        if (method.RelativeVirtualAddress != 0) {
            Body(pe.GetMethodBody(method.RelativeVirtualAddress));
        }
    }

    void Body(MethodBodyBlock body)
    {
        text.AppendLine($"    stack {body.MaxStack} init {body.LocalVariablesInitialized}");
        if (!body.LocalSignature.IsNil) {
            text.AppendLine("    locals " + string.Join(", ", reader.GetStandaloneSignature(body.LocalSignature).DecodeLocalSignature(names, null)));
        }
        foreach (ExceptionRegion r in body.ExceptionRegions) {
            text.AppendLine($"    {r.Kind} {r.TryOffset} {r.TryLength} {r.HandlerOffset} {r.HandlerLength} {r.FilterOffset} {(r.CatchType.IsNil ? "" : names.Handle(r.CatchType))}");
        }
        BlobReader il = body.GetILReader();
        while (il.RemainingBytes > 0) {
            int at = il.Offset, value = il.ReadByte();
            OpCode op = opcodes[value == 0xFE ? 0xFE00 | il.ReadByte() : value];
            string operand = op.OperandType switch {
                OperandType.InlineNone => "",
                OperandType.InlineString => Hex(Encoding.Unicode.GetBytes(reader.GetUserString(MetadataTokens.UserStringHandle(il.ReadInt32() & 0xFFFFFF)))),
                OperandType.InlineField or OperandType.InlineMethod or OperandType.InlineTok or OperandType.InlineType
                    or OperandType.InlineSig => Token(MetadataTokens.EntityHandle(il.ReadInt32())),
                OperandType.InlineSwitch => string.Join(",", Enumerable.Range(0, il.ReadInt32()).Select(_ => il.ReadInt32()).ToArray()),
                OperandType.InlineI8 or OperandType.InlineR => il.ReadInt64().ToString(),
                OperandType.InlineVar => il.ReadInt16().ToString(),
                OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => il.ReadSByte().ToString(),
                _ => il.ReadInt32().ToString(),
            };
            text.AppendLine($"    {at:x4} {op.Name} {operand}");
        }
    }

    string Token(EntityHandle handle)
    {
        switch (handle.Kind) {
        case HandleKind.FieldDefinition: {
            FieldDefinition f = reader.GetFieldDefinition((FieldDefinitionHandle)handle);
            return names.Handle(f.GetDeclaringType()) + "::" + reader.GetString(f.Name);
        }
        case HandleKind.MethodDefinition: {
            MethodDefinition m = reader.GetMethodDefinition((MethodDefinitionHandle)handle);
            return names.Handle(m.GetDeclaringType()) + "::" + reader.GetString(m.Name) + " " + names.Method(m.DecodeSignature(names, null));
        }
        case HandleKind.MemberReference: {
            MemberReference m = reader.GetMemberReference((MemberReferenceHandle)handle);
            return names.Handle(m.Parent) + "::" + reader.GetString(m.Name) + " " +
                   (m.GetKind() == MemberReferenceKind.Field ? m.DecodeFieldSignature(names, null) : names.Method(m.DecodeMethodSignature(names, null)));
        }
        case HandleKind.MethodSpecification: {
            MethodSpecification m = reader.GetMethodSpecification((MethodSpecificationHandle)handle);
            return Token(m.Method) + "<" + string.Join(",", m.DecodeSignature(names, null)) + ">";
        }
        case HandleKind.StandaloneSignature:
            return names.Method(reader.GetStandaloneSignature((StandaloneSignatureHandle)handle).DecodeMethodSignature(names, null));
        default:
            return names.Handle(handle);
        }
    }

    // The sizes of other people's enums, which arguments may be of, are not known here.
    void Attributes(CustomAttributeHandleCollection attributes)
    {
        foreach (CustomAttributeHandle h in attributes) {
            CustomAttribute a = reader.GetCustomAttribute(h);
            if (!listed) {
                continue;
            }
            CustomAttributeValue<string> v = a.DecodeValue(names);
            text.AppendLine($"    [{Token(a.Constructor)} {string.Join(",", v.FixedArguments.Select(x => x.Value is ImmutableArray<CustomAttributeTypedArgument<string>> many ? string.Join("|", many.Select(y => y.Value)) : x.Value))} " +
                            $"{string.Join(",", v.NamedArguments.Select(x => x.Name + "=" + x.Value))}]");
        }
    }

    void Generic(GenericParameterHandleCollection parameters)
    {
        foreach (GenericParameterHandle h in parameters) {
            GenericParameter p = reader.GetGenericParameter(h);
            text.AppendLine($"    generic {p.Index} {reader.GetString(p.Name)} {p.Attributes} " +
                            string.Join(",", p.GetConstraints().Select(c => names.Handle(reader.GetGenericParameterConstraint(c).Type))));
            Attributes(p.GetCustomAttributes());
        }
    }

    string Constant(ConstantHandle h) => h.IsNil ? "" : reader.GetConstant(h).TypeCode + Hex(reader.GetBlobBytes(reader.GetConstant(h).Value));
    static string Hex(byte[] bytes) => Convert.ToHexString(bytes);
}
