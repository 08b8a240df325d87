using System;
using System.Linq;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Xml.Linq;

public static class App
{
    public static void Main()
    {
        var squares = Enumerable.Range(1, 9).Where(n => n % 2 == 1).Select(n => n * n).ToArray();
        Console.WriteLine(JsonSerializer.Serialize(squares));
        Console.WriteLine(new XElement("sum", squares.Sum()));
        Console.WriteLine(Regex.Replace("a1b22", "[0-9]+", m => "<" + m.Value.Length + ">"));
        try { squares.First(n => n < 0); } catch (InvalidOperationException error) { Console.WriteLine(error.Message); }
        Console.WriteLine(typeof(Enumerable).Assembly.Location);
    }
}
