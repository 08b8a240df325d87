// Delta.dll App.cs FOLDER REFERENCES...: App.dll from the source as it is, and, with UPDATE1 and then UPDATE2 defined,
// what a running App gets to become it: updateN.metadata and updateN.il.
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Emit;
using Microsoft.CodeAnalysis.Text;

static class Delta
{
    static CSharpCompilation Compile(string source, IEnumerable<MetadataReference> references, params string[] symbols) =>
        CSharpCompilation.Create("App",
            new[] { CSharpSyntaxTree.ParseText(SourceText.From(source, System.Text.Encoding.UTF8), new CSharpParseOptions(preprocessorSymbols: symbols), "App.cs") },
            references, new CSharpCompilationOptions(OutputKind.ConsoleApplication, optimizationLevel: OptimizationLevel.Debug));

    static T Checked<T>(T result) where T : EmitResult
    {
        foreach (var diagnostic in result.Diagnostics.Where(one => one.Severity == DiagnosticSeverity.Error))
            throw new Exception(diagnostic.ToString());
        return result;
    }

    static IEnumerable<IMethodSymbol> Methods(Compilation compilation) =>
        compilation.Assembly.GetTypeByMetadataName("App")!.GetMembers().OfType<IMethodSymbol>();

    static void Main(string[] arguments)
    {
        string source = File.ReadAllText(arguments[0]), folder = arguments[1];
        var references = arguments.Skip(2).Select(path => (MetadataReference)MetadataReference.CreateFromFile(path)).ToArray();
        var old = Compile(source, references);
        var image = new MemoryStream();
        var symbols = new MemoryStream();
        Checked(old.Emit(image, symbols, options: new EmitOptions(debugInformationFormat: DebugInformationFormat.PortablePdb)));
        File.WriteAllBytes(Path.Combine(folder, "App.dll"), image.ToArray());
        var pdb = MetadataReaderProvider.FromPortablePdbStream(new MemoryStream(symbols.ToArray())).GetMetadataReader();
        var module = ModuleMetadata.CreateFromImage(image.ToArray());
        var reader = module.GetMetadataReader();
        var pe = new PEReader(new MemoryStream(image.ToArray()));
        var baseline = EmitBaseline.CreateInitialBaseline(old, module, method => default,
            method => { var body = pe.GetMethodBody(reader.GetMethodDefinition(method).RelativeVirtualAddress); return body.LocalSignature; }, true);
        for (int update = 1; update <= 2; update++)
        {
            var next = Compile(source, references, "UPDATE" + update);
            var edits = new List<SemanticEdit>();
            foreach (var method in Methods(next).Where(one => one.Name is "Changed" or "Added" or "Generic"))
            {
                var before = Methods(old).SingleOrDefault(one => one.Name == method.Name);
                edits.Add(new SemanticEdit(before == null ? SemanticEditKind.Insert : SemanticEditKind.Update, before, method));
            }
            if (next.Assembly.GetTypeByMetadataName("Late") is { } late)
                edits.Add(new SemanticEdit(SemanticEditKind.Insert, null, late));
            using var metadata = File.Create(Path.Combine(folder, $"update{update}.metadata"));
            using var il = File.Create(Path.Combine(folder, $"update{update}.il"));
            baseline = Checked(next.EmitDifference(baseline, edits, symbol => false, metadata, il, new MemoryStream())).Baseline!;
            old = next;
        }
    }
}
