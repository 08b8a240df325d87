using System;
using System.Reflection;

namespace Ilpatch;

/// <summary>How an assembly is patched. The defaults: every method calls the stock inspector, which is a file beside the program.</summary>
public sealed class InspectOptions
{
    /// <summary>The name of the assembly in messages; null for none.</summary>
    public string? Name { get; set; }

    /// <summary>What is called with the values; null: the stock inspector. It is not disposed.</summary>
    public Inspector? Inspector { get; set; }

    /// <summary>Which methods are inspected; null: every method. They are not disposed.</summary>
    public Rules? Rules { get; set; }

    /// <summary>Opens an inspector that a rule names: gets the name, and the file of the rule, and returns the assembly. Needed only for such rules.</summary>
    public Func<string, string, byte[]>? OpenInspector { get; set; }

    /// <summary>Finds a referenced assembly: its bytes, or null where there is none. Without it, value types of other assemblies are known only if they
    /// are the framework's. See <see cref="References.InFolders"/>. It is called by one thread at a time, but by any.</summary>
    public Func<AssemblyName, byte[]?>? Resolve { get; set; }

    /// <summary>The inspector is copied into the assembly, which then needs no other file.</summary>
    public bool Embed { get; set; }

    /// <summary>The Portable PDB of the assembly, which is moved along; null: none. An embedded one is always moved along.</summary>
    public byte[]? Symbols { get; set; }

    /// <summary>Where the parts of the new file are.</summary>
    public WriteLayout Layout { get; set; } = WriteLayout.Auto;

    /// <summary>What becomes of a strong name.</summary>
    public StrongName StrongName { get; set; }

    /// <summary>The contents of a .snk file, for <see cref="StrongName.Sign"/>.</summary>
    public byte[]? Key { get; set; }

    /// <summary>The upper half of the ids that inspectors get, different for each assembly of a program; 0: there are no ids.</summary>
    public int ModuleNumber { get; set; }

    /// <summary>How many threads work, the caller's among them. The result is the same for every number.</summary>
    public int Threads { get; set; } = 1;
}
