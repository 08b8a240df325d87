// Compares two modules as a user of Mono.Cecil sees them: each is described as lines of text, without bodies, and
// the lines are compared; bodies are walked side by side.
using System;
using System.Collections.Generic;
using System.Linq;
using Mono.Cecil;
using Mono.Cecil.Cil;

static class CecilView
{
    public static ModuleDefinition Open(string file, List<string> references)
    {
        var resolver = new DefaultAssemblyResolver();
        foreach (string found in resolver.GetSearchDirectories()) {
            resolver.RemoveSearchDirectory(found); // "." and "bin"
        }
        foreach (string directory in references) {
            resolver.AddSearchDirectory(directory);
        }
        return ModuleDefinition.ReadModule(file, new ReaderParameters { AssemblyResolver = resolver, InMemory = true });
    }

    public static void Compare(ModuleDefinition old, ModuleDefinition patched, Report report)
    {
        using IEnumerator<string> lines = Describe(patched).GetEnumerator();
        foreach (string line in Describe(old)) {
            if (!lines.MoveNext()) {
                report.Add($"Cecil: the patched module ends before: {line}");
                return;
            }
            report.Check(lines.Current == line, $"Cecil: {line}\n   now {lines.Current}");
        }
        report.Check(!lines.MoveNext(), $"Cecil: the patched module has more: {lines.Current}");
        report.Check(old.AssemblyReferences.Select(r => r.FullName).SequenceEqual(
                         patched.AssemblyReferences.Take(old.AssemblyReferences.Count).Select(r => r.FullName)),
                     "Cecil: the first assembly references have changed");

        foreach (MethodDefinition method in old.GetTypes().SelectMany(t => t.Methods).Where(m => m.HasBody)) {
            var other = (MethodDefinition)patched.LookupToken(method.MetadataToken);
            string problem = other.HasBody ? CompareBodies(method.Body, other.Body) : "no body";
            report.Check(problem == null, $"Cecil: {method.MetadataToken} {method.DeclaringType.FullName}::{method.Name}: {problem}");
        }
    }

    static IEnumerable<string> Describe(ModuleDefinition module)
    {
        yield return $"{module.Name} {module.Assembly.FullName} {module.Kind} {module.Architecture} {module.Attributes} "
                     + $"{module.Runtime} {module.EntryPoint?.FullName}";
        foreach (string line in Attributes("assembly", module.Assembly).Concat(Attributes("module", module))
                                    .Concat(Security("assembly", module.Assembly))) {
            yield return line;
        }
        foreach (ModuleReference reference in module.ModuleReferences) {
            yield return $"module {reference.Name}";
        }
        foreach (ExportedType type in module.ExportedTypes) {
            yield return $"exported {type.FullName} {type.Attributes} {type.Scope}";
        }
        foreach (Resource resource in module.Resources) {
            string bytes = resource is EmbeddedResource e ? Hash(e.GetResourceData()) : "";
            yield return $"resource {resource.Name} {resource.Attributes} {bytes}";
        }
        foreach (string line in module.GetTypes().SelectMany(Describe)) {
            yield return line;
        }
    }

    static IEnumerable<string> Describe(TypeDefinition type)
    {
        yield return $"{type.MetadataToken} {type.FullName} {type.Attributes} {type.BaseType?.FullName} "
                     + $"{type.PackingSize} {type.ClassSize}";
        foreach (string line in Attributes("  ", type).Concat(Security("  ", type)).Concat(Generics(type))) {
            yield return line;
        }
        foreach (InterfaceImplementation i in type.Interfaces) {
            yield return $"  implements {i.InterfaceType.FullName}";
            foreach (string line in Attributes("    ", i)) {
                yield return line;
            }
        }
        foreach (FieldDefinition f in type.Fields) {
            yield return $"  {f.MetadataToken} {f.FullName} {f.Attributes} {(f.HasConstant ? Constant(f.Constant) : "")} "
                         + $"{(f.HasLayoutInfo ? f.Offset : -1)} {Hash(f.InitialValue)} {Marshal(f)}";
            foreach (string line in Attributes("    ", f)) {
                yield return line;
            }
        }
        foreach (MethodDefinition m in type.Methods) {
            yield return $"  {m.MetadataToken} {m.FullName} {m.Attributes} {m.ImplAttributes} {m.CallingConvention} "
                         + $"{m.HasThis}{m.ExplicitThis} {m.SemanticsAttributes} {m.HasBody} {m.PInvokeInfo?.Attributes} "
                         + $"{m.PInvokeInfo?.EntryPoint} {m.PInvokeInfo?.Module.Name} {Marshal(m.MethodReturnType)}";
            foreach (string line in Attributes("    ", m).Concat(Security("    ", m)).Concat(Generics(m))
                                        .Concat(Attributes("    return", m.MethodReturnType))) {
                yield return line;
            }
            foreach (ParameterDefinition p in m.Parameters) {
                yield return $"    {p.Name} {p.Attributes} {(p.HasConstant ? Constant(p.Constant) : "")} {Marshal(p)}";
                foreach (string line in Attributes("      ", p)) {
                    yield return line;
                }
            }
            foreach (MethodReference o in m.Overrides) {
                yield return $"    overrides {o.FullName}";
            }
        }
        foreach (PropertyDefinition p in type.Properties) {
            yield return $"  {p.MetadataToken} {p.FullName} {p.Attributes} {p.GetMethod?.MetadataToken} "
                         + $"{p.SetMethod?.MetadataToken} {(p.HasConstant ? Constant(p.Constant) : "")}";
            foreach (string line in Attributes("    ", p)) {
                yield return line;
            }
        }
        foreach (EventDefinition e in type.Events) {
            yield return $"  {e.MetadataToken} {e.FullName} {e.Attributes} {e.AddMethod?.MetadataToken} "
                         + $"{e.RemoveMethod?.MetadataToken} {e.InvokeMethod?.MetadataToken}";
            foreach (string line in Attributes("    ", e)) {
                yield return line;
            }
        }
    }

    static IEnumerable<string> Attributes(string indent, Mono.Cecil.ICustomAttributeProvider owner) =>
        owner.HasCustomAttributes
            ? owner.CustomAttributes.Select(a => $"{indent} [{a.Constructor.FullName} {Hash(a.GetBlob())}]") : [];

    static IEnumerable<string> Security(string indent, ISecurityDeclarationProvider owner) =>
        owner.HasSecurityDeclarations
            ? owner.SecurityDeclarations.Select(s => $"{indent} {s.Action} {Hash(s.GetBlob())}") : [];

    static IEnumerable<string> Generics(IGenericParameterProvider owner)
    {
        foreach (GenericParameter p in owner.GenericParameters) {
            yield return $"    <{p.Name} {p.Attributes} "
                         + string.Join(", ", p.Constraints.Select(c => c.ConstraintType.FullName)) + ">";
            foreach (string line in Attributes("     ", p)) {
                yield return line;
            }
        }
    }

    static string Constant(object value) => value == null ? "null" : $"{value.GetType().Name} {value:R}";

    static string Marshal(IMarshalInfoProvider owner) => owner.HasMarshalInfo ? owner.MarshalInfo.NativeType.ToString() : "";

    static string Hash(byte[] bytes) =>
        bytes.Length <= 16 ? Convert.ToHexString(bytes)
                           : Convert.ToHexString(System.Security.Cryptography.SHA256.HashData(bytes));

    static string CompareBodies(MethodBody a, MethodBody b)
    {
        if (a.InitLocals != b.InitLocals || !a.Variables.Select(v => v.VariableType.FullName)
                                              .SequenceEqual(b.Variables.Select(v => v.VariableType.FullName))) {
            return "other locals";
        }
        var map = new Dictionary<Instruction, Instruction>();
        var pairs = new List<(Instruction, Instruction)>();
        Instruction k = b.Instructions.FirstOrDefault();
        foreach (Instruction i in a.Instructions) {
            if (k == null) {
                return $"ends before {i}";
            }
            if (i.OpCode == OpCodes.Ret && k.OpCode == OpCodes.Ret && k.Next != null && BehindInserted(k.Next) != k.Next) {
                k = k.Next; // after the ret of a tail call: see Bodies.cs
            }
            map[i] = k;
            if (i.OpCode == OpCodes.Tail && k.OpCode == OpCodes.Nop && k.Next?.OpCode == OpCodes.Nop) {
                k = k.Next.Next; // stripped
                continue;
            }
            if (i.OpCode == OpCodes.Ret) {
                k = BehindInserted(k);
            }
            pairs.Add((i, k));
            k = k.Next;
        }
        if (k != null) {
            return $"more at the end: {k}";
        }
        foreach ((Instruction i, Instruction j) in pairs) {
            if (i.OpCode != j.OpCode && !(i.OpCode.OperandType == OperandType.ShortInlineBrTarget
                                          && i.OpCode.Name == j.OpCode.Name + ".s") || !SameOperand(i, j, map)) {
                return $"{i}, now {j}";
            }
        }
        return a.ExceptionHandlers.Select(h => Describe(h, i => i == null ? -1 : map[i].Offset)).SequenceEqual(
                   b.ExceptionHandlers.Select(h => Describe(h, i => i == null ? -1 : i.Offset))) ? null : "other clauses";
    }

    static Instruction BehindInserted(Instruction k)
    {
        Instruction at = k;
        if (at.OpCode != OpCodes.Dup) {
            return k;
        }
        at = at.Next;
        if (at?.OpCode == OpCodes.Box) {
            at = at.Next;
        }
        if (at?.OpCode != OpCodes.Ldstr || at.Next?.OpCode != OpCodes.Call) {
            return k;
        }
        at = at.Next;
        return at.Operand is MethodReference m
               && m.FullName == "System.Void MyProfiler.Helper::MyInspector(System.Object,System.String)"
               && at.Next?.OpCode == OpCodes.Ret ? at.Next : k;
    }

    static bool SameOperand(Instruction i, Instruction j, Dictionary<Instruction, Instruction> map) =>
        (i.Operand, j.Operand) switch {
            (null, null) => true,
            (Instruction x, Instruction y) => map[x] == y,
            (Instruction[] x, Instruction[] y) => x.Select(t => map[t]).SequenceEqual(y),
            (MemberReference x, MemberReference y) => x.MetadataToken == y.MetadataToken && x.FullName == y.FullName,
            (ParameterDefinition x, ParameterDefinition y) => x.Index == y.Index,
            (VariableDefinition x, VariableDefinition y) => x.Index == y.Index,
            (CallSite x, CallSite y) => x.FullName == y.FullName,
            _ => Equals(i.Operand, j.Operand)
        };

    static string Describe(ExceptionHandler h, Func<Instruction, int> offset) =>
        $"{h.HandlerType} {h.CatchType?.FullName} {offset(h.TryStart)} {offset(h.TryEnd)} {offset(h.FilterStart)} "
        + $"{offset(h.HandlerStart)} {offset(h.HandlerEnd)}";
}
