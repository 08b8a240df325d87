// What a program gets from its runtimeconfig.json: read too early, it would not be there.
using System;
using System.Globalization;
using System.Threading;

static class Settings
{
    static void Main()
    {
        bool set;
        int least, most, other;
        AppContext.TryGetSwitch("Test.Switch", out set);
        ThreadPool.GetMinThreads(out least, out other);
        ThreadPool.GetMaxThreads(out most, out other);
        Console.WriteLine("i".ToUpper(new CultureInfo("tr-TR")) + " " + 1234.5.ToString("N", new CultureInfo("de-DE")) + " " +
                          string.Compare("a", "B", StringComparison.InvariantCulture));
        Console.WriteLine(set + " " + AppContext.GetData("Test.Value") + " " + least + " " + most);
    }
}
