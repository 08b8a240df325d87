// Says of each condition which methods of an assembly meet it, and compares that with `ilpatch list`; and the
// signature of each method.
//
//   Select [-s] N ILPATCH ASSEMBLY FOLDER...   each Nth condition; FOLDERs have the referenced assemblies;
//                                              -s: sizes, too, which takes loading the assembly
//
// Prints a line for each method that is distinguished and "N conditions, N rule files, N methods named"; exit code 1
// where there is a difference.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Text.Json;
using System.Threading.Tasks;
using System.Xml.Linq;

class Select
{
    const int shown = 5; // differences of one condition

    readonly int step;
    readonly string ilpatch, assembly;
    readonly string[] folders;
    readonly Evaluate evaluate;
    readonly Subject[] subjects;
    int differences, named, doubtful;

    Select(int step, string ilpatch, string assembly, string[] folders, bool sizes)
    {
        (this.step, this.ilpatch, this.assembly, this.folders) = (step, ilpatch, assembly, folders);
        var library = new Library(assembly, new References(folders.Prepend(Path.GetDirectoryName(assembly))));
        evaluate = new Evaluate(new Sizes(assembly, sizes));
        Dictionary<MethodDefinitionHandle, HashSet<string>> semantics = Semantics(library.Reader);
        subjects = library.Reader.MethodDefinitions
                       .Select(method => new Subject(library, method, semantics.GetValueOrDefault(method))).ToArray();
    }

    static int Main(string[] arguments)
    {
        bool sizes = arguments[0] == "-s";
        string[] rest = arguments.Skip(sizes ? 1 : 0).ToArray();
        return new Select(int.Parse(rest[0]), rest[1], Path.GetFullPath(rest[2]), rest[3..], sizes).Run();
    }

    int Run()
    {
        CompareSignatures();
        XElement[] conditions = Cases.Conditions(subjects).Where((_, i) => i % step == 0).ToArray();
        XElement[] files = Cases.Files(subjects).ToArray();
        // The next list is made while this one is compared.
        Task<string> next = ListAsync(conditions.First());
        foreach ((XElement all, XElement after) in conditions.Zip(conditions.Skip(1).Append(null))) {
            string list = next.Result;
            next = after == null ? null : ListAsync(after);
            Compare(TextOf(all), list, subject => evaluate.All(all.Elements(), subject) switch {
                true => "include",
                null => "undecided",
                false => "absent",
            });
        }
        string file = Path.GetTempFileName();
        foreach (XElement rules in files) {
            rules.Save(file);
            Compare(rules.Elements().Count() + " rules", List("--rules", file),
                    subject => evaluate.Decide(rules, subject));
        }
        File.Delete(file);
        Console.WriteLine($"{conditions.Length} conditions, {files.Length} rule files, {subjects.Length} signatures, " +
                          $"{named} methods distinguished" + (doubtful > 0 ? $", {doubtful} of unknown size" : "") +
                          (differences > 0 ? $", {differences} differences" : ""));
        return differences > 0 ? 1 : 0;
    }

    static string TextOf(XElement all)
        => string.Concat(all.Elements().Select(element => element.ToString(SaveOptions.DisableFormatting)));

    async Task<string> ListAsync(XElement all) => await Task.Run(() => List("--where", TextOf(all)));

    // What each accessor is to its properties and events (II.22.28).
    static Dictionary<MethodDefinitionHandle, HashSet<string>> Semantics(MetadataReader reader)
    {
        var result = new Dictionary<MethodDefinitionHandle, HashSet<string>>();
        void Add(MethodDefinitionHandle method, string role)
        {
            if (!method.IsNil) {
                (result.TryGetValue(method, out HashSet<string> roles) ? roles : result[method] = new()).Add(role);
            }
        }
        foreach (PropertyDefinitionHandle handle in reader.PropertyDefinitions) {
            PropertyAccessors accessors = reader.GetPropertyDefinition(handle).GetAccessors();
            Add(accessors.Getter, "getter");
            Add(accessors.Setter, "setter");
            accessors.Others.ToList().ForEach(other => Add(other, "other"));
        }
        foreach (EventDefinitionHandle handle in reader.EventDefinitions) {
            EventAccessors accessors = reader.GetEventDefinition(handle).GetAccessors();
            Add(accessors.Adder, "event");
            Add(accessors.Remover, "event");
            Add(accessors.Raiser, "event");
            accessors.Others.ToList().ForEach(other => Add(other, "other"));
        }
        return result;
    }

    // ---- ilpatch ----

    string List(params string[] options)
    {
        var start = new ProcessStartInfo(ilpatch) { RedirectStandardOutput = true, RedirectStandardError = true };
        foreach (string argument in new[] { "list" }.Concat(options)
                     .Concat(folders.SelectMany(folder => new[] { "--reference-path", folder })).Append(assembly)) {
            start.ArgumentList.Add(argument);
        }
        using Process process = Process.Start(start);
        var errors = process.StandardError.ReadToEndAsync();
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        // 1: there were methods that could not be decided.
        return process.ExitCode <= 1 ? output
               : throw new InvalidOperationException(string.Join(' ', options) + ": " + errors.Result.Trim());
    }

    void CompareSignatures()
    {
        using JsonDocument json = JsonDocument.Parse(List("--json"));
        string[] members = ["token", "name", "signature"];
        string[] have = json.RootElement.GetProperty("modules")[0].GetProperty("methods").EnumerateArray()
                            .Select(method => string.Join(' ', members.Select(m => method.GetProperty(m).GetString())))
                            .ToArray();
        string[] want = subjects.Select(subject => $"0x{subject.Token:X8} {subject.TypeName}::{subject.Name} " +
                                                   subject.Signature).ToArray();
        Differ("signatures", Enumerable.Range(0, Math.Max(have.Length, want.Length)).Select(
            i => have.ElementAtOrDefault(i) == want.ElementAtOrDefault(i)
                     ? null : $"{want.ElementAtOrDefault(i)}, ilpatch: {have.ElementAtOrDefault(i)}"));
    }

    // want: "include", "undecided", "exclude", "none", or "absent": not printed at all.
    void Compare(string what, string list, Func<Subject, string> want)
    {
        var have = new Dictionary<int, string>();
        foreach (string line in list.Split('\n', StringSplitOptions.RemoveEmptyEntries)) {
            have.Add(Convert.ToInt32(line[..8], 16), line[10..].Split(' ', 2)[0] switch {
                "undecided" => "undecided",
                "excluded" => "exclude",
                "not-selected" => "none",
                _ => "include",
            });
        }
        // The rule of an async method decides about its MoveNext, too, which sets the result.
        Differ(what, subjects.Where(subject => !SetsResult(subject)).Select(subject => {
            evaluate.InDoubt = false;
            string wanted = want(subject), had = have.GetValueOrDefault(subject.Token, "absent");
            named += wanted is "include" or "exclude" ? 1 : 0;
            bool allowed = evaluate.InDoubt && (had == "undecided" || wanted == "undecided");
            doubtful += allowed ? 1 : 0;
            return wanted == had || allowed
                       ? null : $"{subject.Token:X8} {subject.Signature}: {wanted}, ilpatch: {had}";
        }));
    }

    static bool SetsResult(Subject subject) => subject.Name == "MoveNext" && subject.Signature.StartsWith("instance void ");

    void Differ(string what, IEnumerable<string> all)
    {
        string[] found = all.Where(difference => difference != null).ToArray();
        differences += found.Length;
        if (found.Length > 0) {
            Console.WriteLine($"{what}: {found.Length} differences");
            found.Take(shown).ToList().ForEach(difference => Console.WriteLine("    " + difference));
        }
    }
}
