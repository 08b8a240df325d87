// Compare [-r DIRECTORY]... ORIGINAL PATCHED: is the patched assembly the original, but for what was inserted?
//
// Two readers that have nothing to do with ilpatch look at both files: System.Reflection.Metadata at rows,
// heaps, data and the bytes of bodies (Tables.cs, Bodies.cs), Mono.Cecil at types, members, attributes and
// instructions as its users see them (CecilView.cs) and at which methods have a value to inspect (Expected.cs).
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

    public void Add(string what)
    {
        if (++Differences <= 20) {
            Console.WriteLine(what.Length > 400 ? what[..400] + "..." : what);
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
        var references = new List<string>();
        while (args.Length > 2 && args[0] == "-r") {
            references.Add(args[1]);
            args = args[2..];
        }
        if (args.Length != 2) {
            Console.Error.WriteLine("usage: Compare [-r DIRECTORY]... ORIGINAL PATCHED");
            return 2;
        }
        var report = new Report();
        using var before = new PEReader(new MemoryStream(File.ReadAllBytes(args[0])));
        using var after = new PEReader(new MemoryStream(File.ReadAllBytes(args[1])));
        MetadataReader old = before.GetMetadataReader(), patched = after.GetMetadataReader();

        // The directory of the original stands last: next to mcs.exe's own folder it may hold others' versions.
        references.Add(Path.GetDirectoryName(Path.GetFullPath(args[0])));
        using Mono.Cecil.ModuleDefinition cecilOld = CecilView.Open(args[0], references);
        using Mono.Cecil.ModuleDefinition cecilPatched = CecilView.Open(args[1], references);

        try {
            CompareHeaders(before.PEHeaders, after.PEHeaders, report);
            Tables.Compare(old, patched, report);
            Data.Compare(before, after, report);
            Data.CompareSections(before, after, report);
            new Bodies(before, after, cecilOld, report).Compare();
            CecilView.Compare(cecilOld, cecilPatched, report);
        } catch (Exception e) {
            // The readers were not made for broken files; what they stumble over was not there before.
            report.Add("cannot be read: " + e);
        }
        if (report.Places > 0) {
            // Precompiled code elsewhere is found by MVID: under the old one it would run instead of the patched IL.
            report.Check(old.GetGuid(old.GetModuleDefinition().Mvid)
                         != patched.GetGuid(patched.GetModuleDefinition().Mvid), "the MVID is still the old one");
        }
        Console.WriteLine($"{report.Methods} methods, {report.InspectedMethods} inspected at {report.Places} places, "
                          + $"{report.Differences} differences");
        return report.Differences == 0 ? 0 : 1;
    }

    static void CompareHeaders(PEHeaders a, PEHeaders b, Report report)
    {
        report.Check(a.CorHeader.ManagedNativeHeaderDirectory.Size == 0, "the original is ReadyToRun: not this test's matter");
        report.Check(a.CoffHeader.Machine == b.CoffHeader.Machine, "COFF Machine differs");
        report.Check(a.CoffHeader.Characteristics == b.CoffHeader.Characteristics, "COFF Characteristics differ");
        report.Check(a.PEHeader.Magic == b.PEHeader.Magic, "PE magic differs");
        report.Check(a.PEHeader.Subsystem == b.PEHeader.Subsystem, "Subsystem differs");
        report.Check(a.PEHeader.DllCharacteristics == b.PEHeader.DllCharacteristics, "DllCharacteristics differ");
        report.Check(a.PEHeader.ImageBase == b.PEHeader.ImageBase, "ImageBase differs");
        report.Check(a.PEHeader.AddressOfEntryPoint == b.PEHeader.AddressOfEntryPoint, "AddressOfEntryPoint differs");
        report.Check(a.CorHeader.Flags == b.CorHeader.Flags, $"CLI flags: {a.CorHeader.Flags}, now {b.CorHeader.Flags}");
        report.Check(a.CorHeader.EntryPointTokenOrRelativeVirtualAddress
                     == b.CorHeader.EntryPointTokenOrRelativeVirtualAddress, "entry point differs");
        foreach (SectionHeader section in a.SectionHeaders) {
            report.Check(b.SectionHeaders.Any(s => s.Name == section.Name
                                                   && s.VirtualAddress == section.VirtualAddress
                                                   && s.SectionCharacteristics == section.SectionCharacteristics
                                                   && s.VirtualSize >= section.VirtualSize),
                         $"section {section.Name} is gone or has another place");
        }
    }
}
