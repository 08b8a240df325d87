// An inspector that replaces what methods return, to see how a program takes it.
//
//   FAULTS='Shop.Program::Discount=null; Shop.Line::Total#2=-1; Shop.Program::Money=throw System.TimeoutException'
//
// METHOD=VALUE for each call, METHOD#N=VALUE for the Nth alone. VALUE is `null` or `default`, `throw TYPE`, or a text that the method's type
// can be made of: a number, true, a name of an enum.
using System;
using System.Collections.Generic;
using System.ComponentModel;
using System.Threading;

public static class Faults
{
    private sealed class Fault
    {
        public string Text;
        public int Call; // 0: each
        public int Calls;

        public bool IsDue() => Interlocked.Increment(ref Calls) == Call || Call == 0;
    }

    private static readonly Dictionary<string, Fault> faults = Parse(Environment.GetEnvironmentVariable("FAULTS") ?? "");

    // Generic, so that no value is boxed; it returns T, so what it returns replaces the method's value.
    public static T Inspect<T>(T value, string method)
    {
        return faults.TryGetValue(method, out Fault fault) && fault.IsDue() ? Make<T>(fault.Text) : value;
    }

    private static Dictionary<string, Fault> Parse(string plan)
    {
        var parsed = new Dictionary<string, Fault>();
        foreach (string entry in plan.Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
        {
            string[] sides = entry.Split('=', 2);
            string[] method = sides[0].Split('#', 2);
            if (sides.Length != 2)
            {
                throw new FormatException($"FAULTS: expected METHOD=VALUE, not '{entry}'");
            }
            parsed[method[0]] = new Fault { Text = sides[1], Call = method.Length == 2 ? int.Parse(method[1]) : 0 };
        }
        return parsed;
    }

    private static T Make<T>(string text)
    {
        if (text.StartsWith("throw "))
        {
            Type type = Type.GetType(text.Substring("throw ".Length), throwOnError: true);
            throw (Exception)Activator.CreateInstance(type);
        }
        if (text is "null" or "default")
        {
            return default;
        }
        Type wanted = Nullable.GetUnderlyingType(typeof(T)) ?? typeof(T);
        return (T)TypeDescriptor.GetConverter(wanted).ConvertFromInvariantString(text);
    }
}
