// Real work for real assemblies, done once with the originals and once with the patched ones: the results must
// be the same to the byte. All of it is deterministic: no times, random numbers, paths or hash codes of strings.
//
//   Jobs compile OUT.dll PACKAGES FILE.cs...   Microsoft.CodeAnalysis.CSharp compiles a library, with its PDB
//   Jobs json                                  Newtonsoft.Json writes, reads and queries a graph of objects
//   Jobs cecil IN.dll OUT.dll                  Mono.Cecil reads all of an assembly and writes it again
using System;
using System.Linq;

static class Jobs
{
    static int Main(string[] args)
    {
        switch (args.FirstOrDefault()) {
        case "compile":
            return CompileJob.Run(args[1], args[2], args[3..]);
        case "json":
            return JsonJob.Run();
        case "cecil":
            return CecilJob.Run(args[1], args[2]);
        default:
            Console.Error.WriteLine("usage: Jobs compile OUT.dll PACKAGES FILE.cs... | json | cecil IN.dll OUT.dll");
            return 2;
        }
    }
}
