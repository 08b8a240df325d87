using System;
using System.Collections.Generic;

namespace Ilpatch;

/// <summary>What became of an assembly.</summary>
public sealed class PatchedAssembly
{
    internal PatchedAssembly(byte[] bytes, byte[]? symbols, IReadOnlyList<MethodOutcome> methods, bool changed, in Native.WriteInfo info)
    {
        Bytes = bytes;
        Symbols = symbols;
        Methods = methods;
        IsChanged = changed;
        IsCompacted = info.Compacted != 0;
        SymbolsDropped = info.SymbolsDropped != 0;
        CertificateDropped = info.CertificateDropped != 0;
        NativeCodeDropped = info.NativeCodeDropped != 0;
        MvidKept = info.MvidKept != 0;
        StrongName = info.StrongName;
    }

    /// <summary>The bytes of the new file; those of the original where nothing has changed.</summary>
    public byte[] Bytes { get; }

    /// <summary>The PDB that fits the new file; null where none was given, or nothing has changed. An embedded one is in <see cref="Bytes"/>.</summary>
    public byte[]? Symbols { get; }

    /// <summary>The outcome of each method, in the order of their tokens.</summary>
    public IReadOnlyList<MethodOutcome> Methods { get; }

    /// <summary>Whether anything was changed.</summary>
    public bool IsChanged { get; }

    /// <summary>The file was laid out again; else what is new is after the old parts.</summary>
    public bool IsCompacted { get; }

    /// <summary>The file names no PDB any more, since the one that it named does not fit.</summary>
    public bool SymbolsDropped { get; }

    /// <summary>An Authenticode signature was dropped.</summary>
    public bool CertificateDropped { get; }

    /// <summary>Precompiled code was dropped: methods are compiled when they are first called.</summary>
    public bool NativeCodeDropped { get; }

    /// <summary>The module has the MVID that it had.</summary>
    public bool MvidKept { get; }

    /// <summary>What became of the strong name.</summary>
    public StrongNameState StrongName { get; }
}

/// <summary>The outcome of one method: it is inspected, or why not.</summary>
public sealed class MethodOutcome
{
    internal unsafe MethodOutcome(uint token, string name, string signature, Native.MethodResult* result)
    {
        Token = (int)token;
        Name = name;
        Signature = signature;
        Reason = result->Reason;
        Detail = Native.Text(result->Detail);
        Rule = result->Rule == uint.MaxValue ? null : (int)result->Rule;
        Returns = (int)result->Rets;
        InspectedReturns = (int)result->Inspected;
        Id = result->Id;
        IsBoxed = result->Boxed != 0;
    }

    /// <summary>The token of the MethodDef: 0x06000001 and up.</summary>
    public int Token { get; }

    /// <summary>"Namespace.Type::Method", as the inspector gets it.</summary>
    public string Name { get; }

    /// <summary>The whole signature, as ILAsm has it: "int32 Shop.Program::Main()".</summary>
    public string Signature { get; }

    /// <summary>The outcome.</summary>
    public Reason Reason { get; }

    /// <summary>Whether something is to be done about it.</summary>
    public ReasonKind Kind => Reason.Kind();

    /// <summary>The sentence of the reason.</summary>
    public string Message => Reason.Text();

    /// <summary>More about a refusal, or a type that was not found; "" if there is none.</summary>
    public string Detail { get; }

    /// <summary>The number of the rule that decided, from 0 on; null where none did.</summary>
    public int? Rule { get; }

    /// <summary>How many <c>ret</c> instructions the method has.</summary>
    public int Returns { get; }

    /// <summary>How many of them call the inspector now.</summary>
    public int InspectedReturns { get; }

    /// <summary>The id that the inspector gets; 0: it gets none.</summary>
    public long Id { get; }

    /// <summary>The value is boxed on the way.</summary>
    public bool IsBoxed { get; }

    /// <inheritdoc/>
    public override string ToString() => $"{Name}: {Reason.Code()}";
}
