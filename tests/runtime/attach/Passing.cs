// What is in a context that passes.
using System.Collections.Generic;
using System.Linq;

public static class Passing
{
    public struct Own { public int Left; }
    static int Inner(int value) => Busy.Small(value) + Busy.Small(1); // both inlined
    public static int Answer(int value)
    {
        var owns = new List<Own> { new Own { Left = Inner(value) } };
        return owns.Select(own => own.Left).Sum();
    }
}
