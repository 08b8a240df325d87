// A program with an activity for each order. In place of OpenTelemetry's exporter a listener prints what that gets: its
// AddSource("Checkout") is the same line.
using System;
using System.Diagnostics;
using System.Linq;

static class App
{
    static readonly ActivitySource source = new ActivitySource("Checkout");

    static int Percent(string customer) => customer == "Ada" ? 10 : 0;

    static string Bill(string customer, decimal sum) => FormattableString.Invariant($"{sum - sum * Percent(customer) / 100:0.00} EUR");

    static void Main()
    {
        using var listener = new ActivityListener
        {
            ShouldListenTo = candidate => candidate.Name == "Checkout",
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = Print,
        };
        ActivitySource.AddActivityListener(listener);
        foreach (string customer in new[] { "Ada", "Ben" })
        {
            using Activity order = source.StartActivity("order");
            Bill(customer, 40);
        }
    }

    static void Print(Activity activity)
    {
        Console.WriteLine(activity.OperationName);
        foreach (ActivityEvent added in activity.Events)
        {
            Console.WriteLine($"  {added.Name} {string.Join(' ', added.Tags.Select(tag => $"{tag.Key}={tag.Value}"))}");
        }
    }
}
