using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;

namespace Ilpatch;

/// <summary>Patches assemblies, so that their methods show what they return. Any number of threads may use it.</summary>
public static unsafe class Patcher
{
    private const uint MajorVersion = 1;

    /// <summary>The version of the native library: "1.0.0".</summary>
    public static string NativeVersion => Native.Text(Native.ilp_version());

    /// <summary>Patches an assembly in memory, as <c>ilpatch --inspect-returns</c> patches a file. The bytes are not changed, and must not change meanwhile.</summary>
    /// <exception cref="IlpatchException">The assembly, its symbols or the request are not valid.</exception>
    public static PatchedAssembly Inspect(byte[] assembly, InspectOptions? options = null)
    {
        if (assembly == null)
        {
            throw new ArgumentNullException(nameof(assembly));
        }
        if (Native.ilp_version_number() >> 16 != MajorVersion)
        {
            throw new NotSupportedException($"libilpatch is version {NativeVersion}, expected {MajorVersion}.x");
        }
        using Patch patch = new(assembly, options ?? new InspectOptions());
        return patch.Make();
    }

    /// <summary>The same for the rest of a stream, which stays open.</summary>
    public static PatchedAssembly Inspect(Stream assembly, InspectOptions? options = null)
    {
        if (assembly == null)
        {
            throw new ArgumentNullException(nameof(assembly));
        }
        using MemoryStream bytes = new();
        assembly.CopyTo(bytes);
        return Inspect(bytes.ToArray(), options);
    }

    /// <summary>The same for a file, which is not changed, nor is a PDB beside it read.</summary>
    public static PatchedAssembly Inspect(string path, InspectOptions? options = null) => Inspect(File.ReadAllBytes(path), options);
}

/// <summary>One call of <see cref="Patcher.Inspect(byte[], InspectOptions)"/>: what it opens, in this order, and closes in the reverse one.</summary>
internal sealed unsafe class Patch : IDisposable
{
    private readonly InspectOptions options;
    private readonly Stack<IDisposable> opened = new();
    private readonly Held held;
    private readonly OpenReferences? references;
    private readonly ImageHandle image;
    private readonly EditHandle edit;
    private readonly ArenaHandle arena;
    private readonly SymbolsHandle? symbols;
    private readonly List<MethodOutcome> methods = new();
    private ExceptionDispatchInfo? thrown;

    internal Patch(byte[] assembly, InspectOptions options)
    {
        this.options = options;
        try
        {
            held = Opened(new Held());
            references = options.Resolve == null ? null : Opened(new OpenReferences(options.Resolve));
            image = Opened(ImageHandle.Open(assembly, options.Name));
            arena = Opened(ArenaHandle.Open());
            edit = Opened(EditHandle.Open(image));
            symbols = HasSymbols() ? Opened(SymbolsHandle.Open(image, options.Symbols)) : null;
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        while (opened.Count > 0)
        {
            opened.Pop().Dispose();
        }
    }

    internal PatchedAssembly Make()
    {
        Rewrite();
        bool changed = Native.ilp_edit_is_empty(edit) == 0;
        return changed && symbols != null ? WriteWithSymbols() : Write(SymbolsEntries.Drop, null, null, changed);
    }

    private T Opened<T>(T item) where T : IDisposable
    {
        opened.Push(item);
        return item;
    }

    private bool HasSymbols()
    {
        Native.SymbolsInfo info;
        Native.ilp_image_symbols(image, &info);
        return options.Symbols != null || info.Kind == SymbolsKind.Embedded;
    }

    /// <summary>[0] is the default one; then those that rules name.</summary>
    private IntPtr[] Inspectors()
    {
        List<IntPtr> inspectors = new() { held.Hold((options.Inspector ?? Inspector.Stock).Handle) };
        RulesHandle? rules = options.Rules?.Handle;
        byte* file = null;
        byte* name;
        for (uint i = 0; rules != null && (name = Native.ilp_rules_inspector(rules, i, out file)) != null; i++)
        {
            Native.NativeFunction function;
            InspectorHandle inspector = Native.ilp_rules_native(rules, i, &function) != 0
                ? InspectorHandle.Open(function)
                : InspectorHandle.Open(OpenNamed(Native.Text(name), Native.Text(file)));
            inspectors.Add(Opened(inspector).DangerousGetHandle());
        }
        return inspectors.ToArray();
    }

    private byte[] OpenNamed(string name, string file) => options.OpenInspector?.Invoke(name, file)
        ?? throw new InvalidOperationException($"{file}: no inspector {name}: let InspectOptions.OpenInspector return its assembly");

    private void Rewrite()
    {
        Native.MethodCallback take = Take;
        Native.Resolver resolver = references?.Resolver ?? default;
        Native.Report report = new() { Method = Marshal.GetFunctionPointerForDelegate(take) };
        Native.Error error;
        Status status;
        IntPtr[] inspectors = Inspectors();
        fixed (IntPtr* all = inspectors)
        {
            Native.Request request = new()
            {
                Inspectors = all,
                InspectorCount = (nuint)inspectors.Length,
                Rules = options.Rules == null ? IntPtr.Zero : held.Hold(options.Rules.Handle),
                Resolver = references == null ? null : &resolver,
                ModuleNumber = (uint)options.ModuleNumber,
                Embed = options.Embed ? (byte)1 : (byte)0,
                Symbols = symbols == null ? IntPtr.Zero : held.Hold(symbols),
                Threads = (uint)options.Threads,
            };
            status = Native.ilp_inspect_returns(image, edit, &request, &report, &error);
        }
        GC.KeepAlive(take);
        thrown?.Throw();
        references?.Rethrow();
        Native.Check(status, error);
    }

    /// <summary>Gets each method's outcome. An exception must not pass the library's frames.</summary>
    private Status Take(IntPtr user, uint method, Native.MethodResult* result, Native.Error* error)
    {
        try
        {
            Native.ilp_arena_reset(arena);
            Native.Check(Native.ilp_method_name_text(image, method, arena, out byte* name, error), *error);
            Native.Check(Native.ilp_method_text(image, method, arena, out byte* signature, error), *error);
            methods.Add(new MethodOutcome(method, Native.Text(name), Native.Text(signature), result));
            return Status.Ok;
        }
        catch (Exception e)
        {
            thrown = ExceptionDispatchInfo.Capture(e);
            return Status.Callback;
        }
    }

    private PatchedAssembly WriteWithSymbols()
    {
        Native.Bytes pdb;
        Native.SymbolsLink link;
        Native.Error error;
        Native.Check(Native.ilp_symbols_write(symbols!, edit, &pdb, &link, &error), error);
        return Write(SymbolsEntries.Update, &link, options.Symbols == null ? null : pdb.Copy(), true);
    }

    private PatchedAssembly Write(SymbolsEntries entries, Native.SymbolsLink* link, byte[]? pdb, bool changed)
    {
        MemoryStream bytes = new();
        Native.WriteCallback write = (user, data, size) => Append(bytes, data, size);
        Native.Sink sink = new() { Write = Marshal.GetFunctionPointerForDelegate(write) };
        Native.WriteInfo info = default;
        Native.Error error;
        Status status;
        fixed (byte* key = options.Key)
        {
            Native.WriteOptions how = new()
            {
                StrongName = options.StrongName,
                Key = new Native.Bytes { Data = key, Size = (nuint)(options.Key?.Length ?? 0) },
                Layout = options.Layout,
                Symbols = entries,
                Link = link,
            };
            status = Native.ilp_edit_write(edit, &how, &sink, &info, &error);
        }
        GC.KeepAlive(write);
        thrown?.Throw();
        Native.Check(status, error);
        return new PatchedAssembly(bytes.ToArray(), pdb, methods, changed || info.Compacted != 0, info);
    }

    private Status Append(MemoryStream bytes, byte* data, nuint size)
    {
        try
        {
            using UnmanagedMemoryStream source = new(data, checked((long)size));
            source.CopyTo(bytes);
            return Status.Ok;
        }
        catch (Exception e)
        {
            thrown = ExceptionDispatchInfo.Capture(e);
            return Status.Callback;
        }
    }
}
