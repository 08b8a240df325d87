// Reader FILE...: what System.Reflection.Metadata says of images, one line each, and whether it can read all of them.
//
//   System.Linq.dll Amd64 PE32Plus ILOnly,StrongNameSigned directories 2,6,14 methods 1384 types 95
//
// Bodies are decoded as far as that reader does it: headers, code, exception regions. Exit code 1 when it throws.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

static class Reader
{
    static int Main(string[] files)
    {
        int bad = 0;
        foreach (string file in files) {
            try {
                Console.WriteLine(Path.GetFileName(file) + " " + Read(file));
            } catch (Exception e) when (e is BadImageFormatException or InvalidOperationException or IOException) {
                Console.WriteLine(Path.GetFileName(file) + " cannot be read: " + e.Message);
                bad = 1;
            }
        }
        return bad;
    }

    static string Read(string file)
    {
        using var pe = new PEReader(File.OpenRead(file));
        PEHeaders headers = pe.PEHeaders;
        MetadataReader metadata = pe.GetMetadataReader();
        int types = metadata.TypeDefinitions.Select(t => metadata.GetString(metadata.GetTypeDefinition(t).Name)).Count();
        int methods = 0;
        foreach (MethodDefinitionHandle handle in metadata.MethodDefinitions) {
            MethodDefinition method = metadata.GetMethodDefinition(handle);
            metadata.GetBlobBytes(method.Signature);
            if (method.RelativeVirtualAddress != 0) {
                pe.GetMethodBody(method.RelativeVirtualAddress).GetILBytes();
            }
            methods++;
        }
        if (headers.CorHeader.ManagedNativeHeaderDirectory.Size != 0) {
            return "ReadyToRun " + headers.CorHeader.Flags;
        }
        return $"{headers.CoffHeader.Machine} {headers.PEHeader.Magic} {headers.CorHeader.Flags.ToString().Replace(" ", "")}"
             + $" directories {string.Join(",", Directories(headers.PEHeader))} methods {methods} types {types}";
    }

    static IEnumerable<int> Directories(PEHeader header)
    {
        DirectoryEntry[] entries = {
            header.ExportTableDirectory, header.ImportTableDirectory, header.ResourceTableDirectory,
            header.ExceptionTableDirectory, header.CertificateTableDirectory, header.BaseRelocationTableDirectory,
            header.DebugTableDirectory, header.CopyrightTableDirectory, header.GlobalPointerTableDirectory,
            header.ThreadLocalStorageTableDirectory, header.LoadConfigTableDirectory, header.BoundImportTableDirectory,
            header.ImportAddressTableDirectory, header.DelayImportTableDirectory, header.CorHeaderTableDirectory
        };
        return Enumerable.Range(0, entries.Length).Where(i => entries[i].Size != 0 || entries[i].RelativeVirtualAddress != 0);
    }
}
