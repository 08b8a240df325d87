// Writes a graph of objects as JSON, reads it back, writes it again, queries and changes it; prints all of it.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Numerics;
using Newtonsoft.Json;
using Newtonsoft.Json.Converters;
using Newtonsoft.Json.Linq;
using Newtonsoft.Json.Serialization;

enum Shade { Light, Dark, [System.Runtime.Serialization.EnumMember(Value = "very-dark")] VeryDark }

abstract class Node
{
    public string Name { get; set; }
    public Node Parent { get; set; }
    public List<Node> Children { get; } = new();
    [JsonConverter(typeof(StringEnumConverter))] public Shade Shade { get; set; }
}

sealed class Leaf : Node
{
    [JsonProperty("v", Order = -2)] public decimal Value { get; set; }
    public int? Maybe { get; set; }
    public DateTime When { get; set; }
    public TimeSpan Span { get; set; }
    public Guid Id { get; set; }
    [JsonIgnore] public string Hidden { get; set; }
    public byte[] Bytes { get; set; }
    public BigInteger Big { get; set; }
    public (int, string) Pair { get; set; }
}

sealed class Branch : Node
{
    public Dictionary<string, object> Extra { get; set; } = new();
    public double[,] Grid { get; set; }
    public HashSet<int> Set { get; set; } = new();
    public Uri Link { get; set; }
    public Version Version { get; set; }
}

static class JsonJob
{
    static readonly JsonSerializerSettings Settings = new() {
        TypeNameHandling = TypeNameHandling.Auto,
        PreserveReferencesHandling = PreserveReferencesHandling.Objects,
        ConstructorHandling = ConstructorHandling.AllowNonPublicDefaultConstructor,
        ContractResolver = new CamelCasePropertyNamesContractResolver(),
        Formatting = Formatting.Indented,
        FloatParseHandling = FloatParseHandling.Decimal,
    };

    public static int Run()
    {
        Node root = Build(null, 4, 1);
        string first = JsonConvert.SerializeObject(root, typeof(Node), Settings);
        var read = JsonConvert.DeserializeObject<Node>(first, Settings);
        string second = JsonConvert.SerializeObject(read, typeof(Node), Settings);
        Console.WriteLine(first);
        Console.WriteLine("the same again: " + (first == second));

        JObject tree = JObject.Parse(second);
        foreach (JToken token in tree.SelectTokens("$..children[?(@.v > 3)].name")) {
            Console.WriteLine(token.Path + " = " + token);
        }
        tree["added"] = new JArray(1, 2.5, "three", null, new JObject { ["four"] = true });
        tree.Descendants().OfType<JProperty>().Where(p => p.Name == "bytes").ToList().ForEach(p => p.Remove());
        Console.WriteLine(tree.ToString(Formatting.None).Length);
        Console.WriteLine(JToken.DeepEquals(tree, JToken.Parse(tree.ToString())));

        foreach (string bad in new[] { "{\"a\":", "[1,2,,]", "{\"v\":\"x\"}", "\"\\uZZZZ\"", "{'a':1}}" }) {
            try {
                JsonConvert.DeserializeObject<Leaf>(bad);
                Console.WriteLine("read: " + bad);
            } catch (JsonException e) {
                Console.WriteLine(e.GetType().Name + ": " + e.Message);
            }
        }
        var xml = JsonConvert.DeserializeXNode("{\"r\":{\"@id\":\"1\",\"x\":[1,2,{\"y\":null}]}}");
        Console.WriteLine(xml);
        Console.WriteLine(JsonConvert.SerializeXNode(xml, Formatting.Indented));
        var writer = new StringWriter();
        using (var json = new JsonTextWriter(writer) { QuoteChar = '\'', Indentation = 1 }) {
            new JsonSerializer { DefaultValueHandling = DefaultValueHandling.Ignore }.Serialize(json, new {
                a = 1, b = 0, c = double.NaN, d = new { e = "\u2028\t\"" }, f = Enumerable.Range(0, 5)
            });
        }
        Console.WriteLine(writer);
        return 0;
    }

    static Node Build(Node parent, int depth, int number)
    {
        if (depth == 0) {
            return new Leaf {
                Name = "leaf " + number, Parent = parent, Value = number / 7m, Maybe = number % 3 == 0 ? null : number,
                When = new DateTime(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc).AddHours(number),
                Span = TimeSpan.FromSeconds(number * 1001), Id = new Guid(number, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
                Hidden = "never", Bytes = BitConverter.GetBytes(number * 0x01020304L),
                Big = BigInteger.Pow(number + 2, 90), Pair = (number, "\u00e4\ud83d\ude00"), Shade = (Shade)(number % 3)
            };
        }
        var branch = new Branch {
            Name = "branch " + number, Parent = parent, Grid = new double[,] { { number, 0.1 }, { -1e300, 1d / 3 } },
            Set = Enumerable.Range(number, depth).ToHashSet(), Link = new Uri("urn:number:" + number),
            Version = new Version(1, number), Shade = Shade.VeryDark,
            Extra = { ["text"] = "x\ny", ["list"] = new List<object> { 1L, true, null }, ["half"] = 0.5m }
        };
        for (int i = 0; i < 3; i++) {
            branch.Children.Add(Build(branch, depth - 1, number * 3 + i));
        }
        return branch;
    }
}
