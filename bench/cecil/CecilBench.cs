// CecilBench [OPTION...] IN OUT              patches IN as `ilpatch --inspect-returns -o OUT IN` does, once, prints how many methods
// CecilBench --warm N IN                     does so N times in memory, prints the median time in ms
// CecilBench --read IN, --read --warm N IN   the same for Reading.cs: System.Reflection.Metadata, nothing is written
//
// The other side of the benchmark: the job of ilpatch, done with Mono.Cecil as its users write it, but with
// every saving that keeps the result right, so that the ratio flatters neither side: the `ret` itself becomes the
// `dup`, so that no branch or handler has to be found and turned; only methods in which a short branch may no
// longer reach go through SimplifyMacros and OptimizeMacros; resolved types and, when warm, referenced
// assemblies stay in memory. With --symbols it reads the PDB, beside IN or embedded, and writes it again; without, it does neither.
//
// --only TOKENS: a file with the methods that are patched, one a line, in place of a decision for each, since ilpatch leaves many methods
// of core libraries alone. --references FOLDER: references are there, too. The inspector of core libraries is a type in them whose method
// is empty, where ilpatch embeds its whole inspector.
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
        bool symbols = false, read = false;
        int repeats = 0;
        HashSet<uint> only = null;
        string references = null;
        int i = 0;
        for (; i < args.Length && args[i].StartsWith("--"); i++) {
            switch (args[i]) {
            case "--symbols": symbols = true; break;
            case "--read": read = true; break;
            case "--warm" when i + 1 < args.Length: repeats = int.Parse(args[++i]); break;
            case "--only" when i + 1 < args.Length:
                only = File.ReadLines(args[++i]).Select(line => Convert.ToUInt32(line, 16)).ToHashSet();
                break;
            case "--references" when i + 1 < args.Length: references = args[++i]; break;
            default: return Usage();
            }
        }
        if (args.Length - i != (read || repeats > 0 ? 1 : 2)) {
            return Usage();
        }
        string file = args[i];
        if (repeats > 0) {
            byte[] bytes = File.ReadAllBytes(file);
            using IAssemblyResolver resolver = Resolver(file, references);
            Console.WriteLine(Median(repeats, () => {
                if (read) {
                    Reading.Read(new MemoryStream(bytes));
                } else {
                    Patch(new MemoryStream(bytes), new MemoryStream(2 * bytes.Length), resolver, only);
                }
            }).ToString("F1"));
        } else if (read) {
            using var input = File.OpenRead(file);
            Console.WriteLine(Reading.Read(input));
        } else {
            using IAssemblyResolver resolver = Resolver(file, references);
            Console.WriteLine(Patch(file, args[i + 1], resolver, symbols, only));
        }
        return 0;
    }

    static int Usage()
    {
        Console.Error.WriteLine("usage: CecilBench [--symbols] [--only TOKENS] [--references FOLDER] IN OUT | CecilBench [--read] --warm N IN | CecilBench --read IN");
        return 2;
    }

    // By their names, so that Cecil finds a PDB beside the file; from and to memory, when warm.
    static int Patch(string input, string output, IAssemblyResolver resolver, bool symbols, HashSet<uint> only)
    {
        using var module = ModuleDefinition.ReadModule(input, new ReaderParameters { AssemblyResolver = resolver, ReadSymbols = symbols });
        int count = new Patcher(module, only).Patch();
        module.Write(output, new WriterParameters { WriteSymbols = symbols });
        return count;
    }

    static int Patch(Stream input, Stream output, IAssemblyResolver resolver, HashSet<uint> only)
    {
        using var module = ModuleDefinition.ReadModule(input, new ReaderParameters { AssemblyResolver = resolver });
        int count = new Patcher(module, only).Patch();
        module.Write(output);
        return count;
    }

    static double Median(int times, Action job)
    {
        var elapsed = new List<double>();
        for (int i = 0; i < times; i++) {
            var watch = Stopwatch.StartNew();
            job();
            elapsed.Add(watch.Elapsed.TotalMilliseconds);
        }
        elapsed.Sort();
        return elapsed[elapsed.Count / 2];
    }

    // Beside the file, then in the framework that this program runs on.
    static DefaultAssemblyResolver Resolver(string file, string references)
    {
        var resolver = new DefaultAssemblyResolver();
        foreach (string found in resolver.GetSearchDirectories()) {
            resolver.RemoveSearchDirectory(found);
        }
        resolver.AddSearchDirectory(Path.GetDirectoryName(Path.GetFullPath(file)));
        if (references != null) {
            resolver.AddSearchDirectory(references);
        }
        resolver.AddSearchDirectory(Path.GetDirectoryName(typeof(object).Assembly.Location));
        return resolver;
    }
}

sealed class Patcher
{
    readonly ModuleDefinition module;
    readonly HashSet<uint> only;
    readonly MethodReference inspector;
    readonly Dictionary<TypeReference, bool> byRefLike = new();

    public Patcher(ModuleDefinition module, HashSet<uint> only)
    {
        this.module = module;
        this.only = only;
        if ((module.Attributes & ModuleAttributes.ILOnly) == 0) { // ReadyToRun: its native code is no longer that of the methods
            module.Attributes = ModuleAttributes.ILOnly;
            module.Architecture = TargetArchitecture.I386;
        }
        bool core = module.TypeSystem.CoreLibrary == module;
        var assembly = new AssemblyNameReference("MyProfiler", new Version(1, 0, 0, 0));
        inspector = core ? Embedded() : new MethodReference("MyInspector", module.TypeSystem.Void, new TypeReference("MyProfiler", "Helper", module, assembly));
        if (!core) {
            module.AssemblyReferences.Add(assembly);
        }
        inspector.Parameters.Add(new ParameterDefinition(module.TypeSystem.Object));
        inspector.Parameters.Add(new ParameterDefinition(module.TypeSystem.String));
    }

    MethodDefinition Embedded()
    {
        var helper = new TypeDefinition("MyProfiler", "Helper", TypeAttributes.Public | TypeAttributes.Abstract | TypeAttributes.Sealed,
                                        module.TypeSystem.Object);
        var method = new MethodDefinition("MyInspector", MethodAttributes.Public | MethodAttributes.Static, module.TypeSystem.Void);
        method.Body.GetILProcessor().Emit(OpCodes.Ret);
        helper.Methods.Add(method);
        module.Types.Add(helper);
        return method;
    }

    // How many methods are inspected.
    public int Patch()
    {
        int count = 0;
        foreach (TypeDefinition type in module.GetTypes()) {
            foreach (MethodDefinition method in type.Methods) {
                if (method.HasBody && ((int)method.ImplAttributes & 0x2000) == 0 // runtime-async
                    && (only == null || only.Contains(method.MetadataToken.ToUInt32()))
                    && CanInspect(method.ReturnType, out TypeReference returned, out bool box)
                    && Patch(method, returned, box)) {
                    count++;
                }
            }
        }
        return count;
    }

    bool Patch(MethodDefinition method, TypeReference returned, bool box)
    {
        const int longest = 1 + 5 + 5 + 5;
        Mono.Cecil.Cil.MethodBody body = method.Body;
        List<Instruction> rets = body.Instructions.Where(i => i.OpCode == OpCodes.Ret && !IsTail(i)).ToList();
        if (rets.Count == 0) {
            return false;
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
        return true;
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
