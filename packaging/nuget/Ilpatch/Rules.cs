using System;
using System.IO;
using System.Text;

namespace Ilpatch;

/// <summary>Rules, which select methods (docs/RULES.md). The first rule that matches a method decides; without a match it is left as it is.</summary>
/// <remarks>It may be used for any number of patches, by several threads at once, but not while rules are added.</remarks>
public sealed class Rules : IDisposable
{
    /// <summary>An empty set, which selects no method.</summary>
    public Rules() => Handle = RulesHandle.Open();

    internal RulesHandle Handle { get; }

    /// <summary>How many rules there are.</summary>
    public int Count => (int)Native.ilp_rules_count(Handle);

    /// <summary>Appends the rules of a text in XML, which should be UTF-8 if it names an encoding.</summary>
    /// <param name="xml">The whole text of a rule file.</param>
    /// <param name="file">The name that messages have.</param>
    /// <exception cref="IlpatchException">They are not valid: line and column say where.</exception>
    public Rules Add(string xml, string file = "rules.xml") => Add(Encoding.UTF8.GetBytes(xml), file);

    /// <summary>Appends the rules of a file.</summary>
    /// <exception cref="IlpatchException">They are not valid: line and column say where.</exception>
    public Rules AddFile(string path) => Add(File.ReadAllBytes(path), path);

    /// <inheritdoc/>
    public void Dispose() => Handle.Dispose();

    private unsafe Rules Add(byte[] xml, string file)
    {
        Native.Error error;
        fixed (byte* data = xml)
        {
            Status status = Native.ilp_rules_add(Handle, new Native.Bytes { Data = data, Size = (nuint)xml.Length }, Native.Text(file), &error);
            Native.Check(status, error);
        }
        return this;
    }
}
