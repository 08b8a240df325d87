// Reads an assembly wholly, bodies and attributes too, and writes it again.
using System.IO;
using System.Linq;
using Mono.Cecil;

static class CecilJob
{
    public static int Run(string input, string output)
    {
        var resolver = new DefaultAssemblyResolver();
        resolver.AddSearchDirectory(Path.GetDirectoryName(typeof(object).Assembly.Location));
        resolver.AddSearchDirectory(Path.GetDirectoryName(Path.GetFullPath(input)));
        using var module = ModuleDefinition.ReadModule(
            input, new ReaderParameters(ReadingMode.Immediate) { AssemblyResolver = resolver });
        int instructions = module.GetTypes().SelectMany(t => t.Methods).Where(m => m.HasBody)
                                 .Sum(m => m.Body.Instructions.Count);
        module.Write(output, new WriterParameters { Timestamp = 0 });
        System.Console.WriteLine($"{instructions} instructions");
        return 0;
    }
}
