// Compare [-r DIRECTORY]... ORIGINAL PATCHED: is the patched assembly the original, but for what was inserted?
// Compare --serve: the same for a file a line of standard input, a line of standard output for each (Serve.cs).
//
// Two readers that have nothing to do with ilpatch look at both files: System.Reflection.Metadata at rows,
// heaps, data and the bytes of bodies (Tables.cs, Bodies.cs, Data.cs) and at which methods have a value to inspect
// (Expected.cs), Mono.Cecil at types, members, attributes and instructions as its users see them (CecilView.cs).
//
// Prints the first differences and `N methods, N inspected at N places, N differences`; exit code 1 if there are any.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

sealed class Report
{
    public int Differences, Methods, InspectedMethods, Places;
    public readonly List<string> First = new(); // of the differences
    public bool Unread; // a reader gave up

    public void Add(string what)
    {
        if (++Differences <= 20) {
            First.Add(what.Length > 400 ? what[..400] + "..." : what);
        }
    }

    public void Check(bool holds, string what)
    {
        if (!holds) {
            Add(what);
        }
    }
}

static class Compare
{
    static int Main(string[] args)
    {
        if (args.Length == 1 && args[0] == "--serve") {
            return Serve.Run();
        }
        var references = new List<string>();
        while (args.Length > 2 && args[0] == "-r") {
            references.Add(args[1]);
            args = args[2..];
        }
        if (args.Length != 2) {
            Console.Error.WriteLine("usage: Compare [-r DIRECTORY]... ORIGINAL PATCHED | Compare --serve");
            return 2;
        }
        // The directory of the original is last: next to mcs.exe's own folder it may hold others' versions.
        references.Add(Path.GetDirectoryName(Path.GetFullPath(args[0])));
        var report = new Report();
        Files(args[0], args[1], default, null, references, report);
        using Mono.Cecil.ModuleDefinition cecilOld = CecilView.Open(args[0], references);
        using Mono.Cecil.ModuleDefinition cecilPatched = CecilView.Open(args[1], references);
        try {
            CecilView.Compare(cecilOld, cecilPatched, report);
        } catch (Exception e) {
            report.Add("cannot be read: " + e);
        }
        report.First.ForEach(Console.WriteLine);
        Console.WriteLine($"{report.Methods} methods, {report.InspectedMethods} inspected at {report.Places} places, "
                          + $"{report.Differences} differences");
        return report.Differences == 0 ? 0 : 1;
    }

    // All but what Cecil sees. A file that was laid out again (compact) keeps contents and tokens, but no place in the file. Without
    // references nothing is expected to be inspected, as in the original itself.
    public static void Files(string original, string output, Layout layout, Dictionary<int, Answer> answers,
                             List<string> references, Report report)
    {
        try {
            using var before = new PEReader(new MemoryStream(File.ReadAllBytes(original)));
            using var after = new PEReader(new MemoryStream(File.ReadAllBytes(output)));
            MetadataReader old = before.GetMetadataReader(), patched = after.GetMetadataReader();
            CompareHeaders(before.PEHeaders, after.PEHeaders, layout.Compact, report);
            Expected expected = references == null ? null : new Expected(old, references, answers != null);
            new Bodies(before, after, expected, answers, report).Compare();
            Tables.Compare(old, patched, report.Places == 0 ? Growth.None : layout.Embedded ? Growth.All : Growth.Calls, report);
            Data.Compare(before, after, layout.Compact, report);
            Win32.Compare(before, after, report);
            if (!layout.Compact) {
                Data.CompareSections(before, after, report);
            } else if (report.Places == 0) {
                Data.CompareDebug(before, after, report); // else symbols were moved along, or dropped
            }
            if (report.Places > 0 && answers == null) {
                // Precompiled code elsewhere is found by MVID: under the old one it would run instead of the patched IL.
                report.Check(old.GetGuid(old.GetModuleDefinition().Mvid)
                             != patched.GetGuid(patched.GetModuleDefinition().Mvid), "the MVID is still the old one");
            }
        } catch (Exception e) {
            // The readers were not made for broken files; what they stumble over was not there before.
            report.Add("cannot be read: " + e);
            report.Unread = true;
        }
    }

    const CorFlags IlLibrary = (CorFlags)4;

    // A ReadyToRun image for another system than Windows has its processor XORed with one of these.
    static readonly int[] Systems = { 0, 0x7B79, 0x4644, 0xADC4, 0x1993, 0x1992 };

    static void CompareHeaders(PEHeaders a, PEHeaders b, bool compact, Report report)
    {
        bool precompiled = a.CorHeader.ManagedNativeHeaderDirectory.Size != 0 && b.CorHeader.ManagedNativeHeaderDirectory.Size == 0;
        if (precompiled) {
            // It became an image of IL alone (docs/READYTORUN.md).
            report.Check(Systems.Any(s => ((int)a.CoffHeader.Machine ^ s) == (int)b.CoffHeader.Machine), "COFF Machine differs");
            report.Check(b.PEHeader.AddressOfEntryPoint == 0, "AddressOfEntryPoint is not 0");
            report.Check(b.CorHeader.Flags == ((a.CorHeader.Flags | CorFlags.ILOnly) & ~IlLibrary),
                         $"CLI flags: {a.CorHeader.Flags}, now {b.CorHeader.Flags}");
        } else {
            report.Check(a.CoffHeader.Machine == b.CoffHeader.Machine, "COFF Machine differs");
            report.Check(compact || a.PEHeader.AddressOfEntryPoint == b.PEHeader.AddressOfEntryPoint, "AddressOfEntryPoint differs");
            report.Check(a.CorHeader.Flags == b.CorHeader.Flags, $"CLI flags: {a.CorHeader.Flags}, now {b.CorHeader.Flags}");
        }
        report.Check(a.CoffHeader.Characteristics == b.CoffHeader.Characteristics, "COFF Characteristics differ");
        report.Check(a.PEHeader.Magic == b.PEHeader.Magic, "PE magic differs");
        report.Check(a.PEHeader.Subsystem == b.PEHeader.Subsystem, "Subsystem differs");
        report.Check(a.PEHeader.DllCharacteristics == b.PEHeader.DllCharacteristics, "DllCharacteristics differ");
        report.Check(a.PEHeader.ImageBase == b.PEHeader.ImageBase, "ImageBase differs");
        report.Check(a.CorHeader.EntryPointTokenOrRelativeVirtualAddress
                     == b.CorHeader.EntryPointTokenOrRelativeVirtualAddress, "entry point differs");
        if (compact) {
            return;
        }
        // The last section may be extended instead of a new one (docs/FORMAT.md), and is not discarded then.
        const SectionCharacteristics discardable = SectionCharacteristics.MemDiscardable;
        bool extended = a.SectionHeaders.Length == b.SectionHeaders.Length;
        foreach (SectionHeader section in a.SectionHeaders) {
            SectionCharacteristics kept = extended ? ~discardable : ~(SectionCharacteristics)0;
            report.Check(b.SectionHeaders.Any(s => s.Name == section.Name
                                                   && s.VirtualAddress == section.VirtualAddress
                                                   && (s.SectionCharacteristics & kept) == (section.SectionCharacteristics & kept)
                                                   && s.VirtualSize >= section.VirtualSize),
                         $"section {section.Name} is gone or has another place");
        }
    }
}
