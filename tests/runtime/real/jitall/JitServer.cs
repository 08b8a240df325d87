// JitAll FILE, or JitAll --serve: files one after the other, on CoreCLR. A line of standard input is, with tabs between them,
//
//   ORIGINAL  PATCHED  DIRECTORY...     what it refers to is in the directories, if the framework has it not
//
// and one of standard output is
//
//   same     METHODS FAILED      the runtime compiles what it compiled before
//   differs  METHODS FAILED  WHAT
//   unread   0 0  WHY            the original is not loaded, and the patched one not either
//
// Each assembly gets a load context of its own, which stays: the client starts a new process when this one has grown.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.Loader;

static class JitServer
{
    static readonly HashSet<string> Framework = new HashSet<string>(
        ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")).Split(Path.PathSeparator).Select(Path.GetFileNameWithoutExtension),
        StringComparer.OrdinalIgnoreCase);

    sealed class Context : AssemblyLoadContext
    {
        readonly string[] directories;

        public Context(string[] directories) => this.directories = directories;

        protected override Assembly Load(AssemblyName name)
        {
            string file = Framework.Contains(name.Name) ? null
                : directories.Select(d => Path.Combine(d, name.Name + ".dll")).FirstOrDefault(File.Exists);
            return file == null ? null : LoadFromAssemblyPath(file);
        }
    }

    static int Main(string[] args)
    {
        if (args.Length != 1 || args[0] != "--serve") {
            return JitAll.Main(args);
        }
        for (string line; (line = Console.ReadLine()) != null;) {
            string[] words = line.Split('\t');
            Console.WriteLine(Compare(words[0], words[1], words[2..]).ReplaceLineEndings(" "));
        }
        return 0;
    }

    static string Compare(string original, string patched, string[] directories)
    {
        string before = Compile(original, directories, out List<string> failures, out bool loaded);
        string after = Compile(patched, directories, out List<string> now, out bool loadedNow);
        if (!loaded && !loadedNow && before == after) {
            return $"unread\t0 0\t{before}";
        }
        string counts = before.Split(' ')[0] + " " + failures.Count;
        List<string> added = now.Except(failures).ToList();
        if (loaded != loadedNow || WithoutFailed(before) != WithoutFailed(after)) {
            return $"differs\t{counts}\t{before}; now {after}";
        }
        return added.Count == 0 ? $"same\t{counts}" : $"differs\t{counts}\t{added.Count} new failures: {added[0]}";
    }

    // "7 methods, 1 failed, 0 not instantiated, 0 types not loaded": failures are compared one by one.
    static string WithoutFailed(string summary) => string.Join(",", summary.Split(',').Where(part => !part.EndsWith(" failed")));

    static string Compile(string file, string[] directories, out List<string> failures, out bool loaded)
    {
        failures = new List<string>();
        loaded = false;
        try {
            Assembly assembly = new Context(directories).LoadFromAssemblyPath(file);
            loaded = true;
            string summary = JitAll.Of(assembly);
            // The names of the files are the only thing that may differ.
            failures = JitAll.Failures.Select(line => line.Replace(file, "FILE")).ToList();
            return summary;
        } catch (Exception e) {
            loaded = false;
            return e.GetType().Name + ": " + e.Message.Replace(file, "FILE");
        }
    }
}
