// Compare --serve: files one after the other. A line of standard input is, with tabs between them,
//
//   ORIGINAL  PATCHED  delta|compact[+embed]  REPORT  DIRECTORY...     REPORT is ilpatch's; types are looked for in the directories
//
// and one of standard output is
//
//   same     METHODS INSPECTED PLACES
//   differs  METHODS INSPECTED PLACES  WHAT     the first of the differences
//   unread   METHODS INSPECTED PLACES  WHY      the readers cannot read the original either
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;

// What ilpatch reports of a method.
readonly record struct Answer(string Word, int Places)
{
    // Why rets with a value are not inspected. Whoever has another answer has no value, or each ret is that can be reached and is free.
    public bool IsExcuse => Word is "async-result" or "unresolved" or "never-inspected" or "already-inspected" or "inspector-method"
        or "no-core-library" or "bad-signature" or "bad-body" or "limit";
}

// How the file was written, and whether the inspector is in it.
readonly record struct Layout(bool Compact, bool Embedded)
{
    public static Layout Parse(string words) => new(words.StartsWith("compact"), words.EndsWith("+embed"));
}

static class Serve
{
    public static int Run()
    {
        for (string line; (line = Console.ReadLine()) != null;) {
            string[] words = line.Split('\t');
            string said;
            try {
                said = One(words[0], words[1], Layout.Parse(words[2]), ReadAnswers(words[3]), words[4..].ToList());
            } catch (Exception e) {
                said = $"differs\t0 0 0\t{e}";
            }
            Console.WriteLine(said.ReplaceLineEndings(" "));
        }
        return 0;
    }

    static string One(string original, string patched, Layout layout, Dictionary<int, Answer> answers, List<string> references)
    {
        var report = new Report();
        Compare.Files(original, patched, layout, answers, answers == null ? null : references, report);
        string counts = $"{report.Methods} {report.InspectedMethods} {report.Places}";
        if (report.Differences == 0) {
            return $"same\t{counts}";
        }
        if (report.Unread) {
            var itself = new Report();
            Compare.Files(original, original, layout, null, null, itself);
            if (report.Differences <= 20 && !report.First.Except(itself.First).Any()) {
                return $"unread\t{counts}\t{itself.First[0]}";
            }
        }
        return $"differs\t{counts}\t{report.Differences}: {report.First[0]}";
    }

    // By token; null without a report, and of a facade or a reference assembly, of whose methods it says nothing.
    static Dictionary<int, Answer> ReadAnswers(string file)
    {
        if (file == "") {
            return null;
        }
        using JsonDocument report = JsonDocument.Parse(File.ReadAllBytes(file));
        JsonElement module = report.RootElement.GetProperty("modules")[0];
        if (module.TryGetProperty("facade", out _) || module.TryGetProperty("referenceAssembly", out _)) {
            return null;
        }
        var answers = new Dictionary<int, Answer>();
        foreach (JsonElement method in module.GetProperty("methods").EnumerateArray()) {
            int places = method.TryGetProperty("sites", out JsonElement sites) ? sites.GetProperty("inspected").GetInt32() : 0;
            answers[Convert.ToInt32(method.GetProperty("token").GetString(), 16)] = new Answer(method.GetProperty("answer").GetString(), places);
        }
        return answers;
    }
}
