using System;
using System.IO;

namespace Ilpatch;

/// <summary>What a patched method calls with each value: the public static methods <c>MyInspector</c> of an assembly (docs/INSPECTORS.md).</summary>
/// <remarks>It may be used for any number of patches, by several threads at once. A patch that uses it when it is disposed goes on.</remarks>
public sealed class Inspector : IDisposable
{
    private static readonly Lazy<Inspector> SharedStock = new(() => new Inspector(StockAssembly()));

    /// <summary>Opens an inspector. The bytes are copied.</summary>
    /// <exception cref="IlpatchException">They are no assembly, or none with such a method.</exception>
    public Inspector(byte[] assembly)
    {
        if (assembly == null)
        {
            throw new ArgumentNullException(nameof(assembly));
        }
        Handle = InspectorHandle.Open((byte[])assembly.Clone());
    }

    /// <summary>Opens an inspector from its file.</summary>
    public Inspector(string path) : this(File.ReadAllBytes(path)) { }

    internal InspectorHandle Handle { get; }

    internal static Inspector Stock => SharedStock.Value;

    /// <summary>The name that the file of <see cref="StockAssembly"/> has to have beside a patched program.</summary>
    public const string StockFileName = "MyProfiler.dll";

    /// <summary>The assembly of the stock inspector, which writes each value as a line of text. Unless it is embedded, a patched program needs it
    /// beside itself, as <see cref="StockFileName"/>.</summary>
    /// <param name="small">The edition for trimmed programs, which needs little of the framework.</param>
    public static byte[] StockAssembly(bool small = false)
    {
        using Stream stream = typeof(Inspector).Assembly.GetManifestResourceStream(small ? "small" : "full")!;
        using MemoryStream bytes = new();
        stream.CopyTo(bytes);
        return bytes.ToArray();
    }

    /// <inheritdoc/>
    public void Dispose() => Handle.Dispose();
}
