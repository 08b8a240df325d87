// CecilBench IN OUT          patches IN as `ilpatch --inspect-returns -o OUT IN` does, once
// CecilBench --warm N IN     does so N times in memory, prints the median time in ms
//
// The other side of the benchmark: the job of ilpatch, done with Mono.Cecil as its users write it, but with
// every saving that keeps the result right, so that the ratio flatters nobody: the `ret` itself becomes the
// `dup`, so that no branch or handler has to be found and turned; only methods in which a short branch may no
// longer reach go through SimplifyMacros and OptimizeMacros; resolved types and, when warm, referenced
// assemblies stay in memory.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.Cecil.Rocks;

static class CecilBench
{
    static int Main(string[] args)
    {
        if (args.Length == 3 && args[0] == "--warm") {
            Console.WriteLine(Warm(int.Parse(args[1]), args[2]).ToString("F1"));
            return 0;
        }
        if (args.Length != 2) {
            Console.Error.WriteLine("usage: CecilBench IN OUT | CecilBench --warm N IN");
            return 2;
        }
        using IAssemblyResolver resolver = Resolver(args[0]);
        using var module = ModuleDefinition.ReadModule(args[0], new ReaderParameters { AssemblyResolver = resolver });
        new Patcher(module).Patch();
        module.Write(args[1]);
        return 0;
    }

    static double Warm(int times, string file)
    {
        byte[] bytes = File.ReadAllBytes(file);
        using IAssemblyResolver resolver = Resolver(file);
        var elapsed = new List<double>();
        for (int i = 0; i < times; i++) {
            var watch = Stopwatch.StartNew();
            using var module = ModuleDefinition.ReadModule(new MemoryStream(bytes),
                                                           new ReaderParameters { AssemblyResolver = resolver });
            new Patcher(module).Patch();
            module.Write(new MemoryStream(2 * bytes.Length));
            elapsed.Add(watch.Elapsed.TotalMilliseconds);
        }
        elapsed.Sort();
        return elapsed[elapsed.Count / 2];
    }

    // Beside the file, then in the framework that this program runs on.
    static DefaultAssemblyResolver Resolver(string file)
    {
        var resolver = new DefaultAssemblyResolver();
        foreach (string found in resolver.GetSearchDirectories()) {
            resolver.RemoveSearchDirectory(found);
        }
        resolver.AddSearchDirectory(Path.GetDirectoryName(Path.GetFullPath(file)));
        resolver.AddSearchDirectory(Path.GetDirectoryName(typeof(object).Assembly.Location));
        return resolver;
    }
}

sealed class Patcher
{
    readonly ModuleDefinition module;
    readonly MethodReference inspector;
    readonly Dictionary<TypeReference, bool> byRefLike = new();

    public Patcher(ModuleDefinition module)
    {
        this.module = module;
        var assembly = new AssemblyNameReference("MyProfiler", new Version(1, 0, 0, 0));
        module.AssemblyReferences.Add(assembly);
        var helper = new TypeReference("MyProfiler", "Helper", module, assembly);
        inspector = new MethodReference("MyInspector", module.TypeSystem.Void, helper);
        inspector.Parameters.Add(new ParameterDefinition(module.TypeSystem.Object));
        inspector.Parameters.Add(new ParameterDefinition(module.TypeSystem.String));
    }

    public void Patch()
    {
        foreach (TypeDefinition type in module.GetTypes()) {
            foreach (MethodDefinition method in type.Methods) {
                if (method.HasBody && ((int)method.ImplAttributes & 0x2000) == 0 // runtime-async
                    && CanInspect(method.ReturnType, out TypeReference returned, out bool box)) {
                    Patch(method, returned, box);
                }
            }
        }
    }

    void Patch(MethodDefinition method, TypeReference returned, bool box)
    {
        const int longest = 1 + 5 + 5 + 5;
        Mono.Cecil.Cil.MethodBody body = method.Body;
        List<Instruction> rets = body.Instructions.Where(i => i.OpCode == OpCodes.Ret && !IsTail(i)).ToList();
        if (rets.Count == 0) {
            return;
        }
        bool mayGrowTooLong = body.CodeSize + rets.Count * longest > 127
                              && body.Instructions.Any(i => i.OpCode.OperandType == OperandType.ShortInlineBrTarget);
        if (mayGrowTooLong) {
            body.SimplifyMacros();
        }
        string name = method.DeclaringType.FullName + "::" + method.Name;
        ILProcessor il = body.GetILProcessor();
        foreach (Instruction ret in rets) {
            ret.OpCode = OpCodes.Dup;
            Instruction last = ret;
            if (box) {
                il.InsertAfter(last, last = il.Create(OpCodes.Box, returned));
            }
            il.InsertAfter(last, last = il.Create(OpCodes.Ldstr, name));
            il.InsertAfter(last, last = il.Create(OpCodes.Call, inspector));
            il.InsertAfter(last, il.Create(OpCodes.Ret));
        }
        if (mayGrowTooLong) {
            body.OptimizeMacros();
        }
    }

    static bool IsTail(Instruction ret) => ret.Previous?.Previous?.OpCode == OpCodes.Tail;

    bool CanInspect(TypeReference type, out TypeReference returned, out bool box)
    {
        while (type is IModifierType modified) {
            type = modified.ElementType;
        }
        returned = type;
        box = type.IsValueType || type.IsGenericParameter;
        switch (type.MetadataType) {
        case MetadataType.Void:
        case MetadataType.ByReference:
        case MetadataType.Pointer:
        case MetadataType.FunctionPointer:
        case MetadataType.TypedByReference:
            return false;
        case MetadataType.Var:
        case MetadataType.MVar:
            return ((int)((GenericParameter)type).Attributes & 0x20) == 0; // allows ref struct
        default:
            return !type.IsValueType || type.IsPrimitive || !IsByRefLike(type.GetElementType());
        }
    }

    bool IsByRefLike(TypeReference type)
    {
        if (!byRefLike.TryGetValue(type, out bool answer)) {
            TypeDefinition definition = null;
            try {
                definition = type.Resolve();
            } catch (AssemblyResolutionException) {
                // What cannot be found may be byref-like: left alone.
            }
            byRefLike[type] = answer = definition == null || definition.HasCustomAttributes
                && definition.CustomAttributes.Any(a => a.AttributeType.FullName
                                                        == "System.Runtime.CompilerServices.IsByRefLikeAttribute");
        }
        return answer;
    }
}
