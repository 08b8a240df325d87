// Compiles C# files into a library, optimized and deterministic, against the framework that runs this and the
// packages' originals; prints all diagnostics.
using System;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Emit;
using Microsoft.CodeAnalysis.Text;

static class CompileJob
{
    public static int Run(string output, string packages, string[] files)
    {
        // Only names that are the same in every run go into the PDB.
        var trees = files.Select(f => CSharpSyntaxTree.ParseText(
            SourceText.From(File.ReadAllText(f), System.Text.Encoding.UTF8), CSharpParseOptions.Default,
            Path.GetFileName(f)));
        string framework = Path.GetDirectoryName(typeof(object).Assembly.Location);
        // Not the assemblies beside this program, which may be patched: the PDB has the MVIDs of all references.
        var references = Directory.GetFiles(framework, "*.dll").Where(IsManaged)
            .Concat(Directory.GetFiles(packages, "*.dll"))
            .Order(StringComparer.Ordinal)
            .Select(f => MetadataReference.CreateFromFile(f));
        var options = new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true,
                                                   optimizationLevel: OptimizationLevel.Release,
                                                   deterministic: true, concurrentBuild: true);
        var compilation = CSharpCompilation.Create("compiled", trees, references, options);
        using FileStream dll = File.Create(output);
        using FileStream pdb = File.Create(Path.ChangeExtension(output, ".pdb"));
        EmitResult result = compilation.Emit(
            dll, pdb, options: new EmitOptions(debugInformationFormat: DebugInformationFormat.PortablePdb));
        foreach (string line in result.Diagnostics.Select(d => d.ToString()).OrderBy(d => d, StringComparer.Ordinal)) {
            Console.WriteLine(line);
        }
        return result.Success ? 0 : 1;
    }

    static bool IsManaged(string file)
    {
        using var pe = new System.Reflection.PortableExecutable.PEReader(File.OpenRead(file));
        return pe.HasMetadata;
    }
}
