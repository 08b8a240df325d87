// An inspector that adds each value to the current activity, as an event: OpenTelemetry exports activities as spans, with their events.
using System;
using System.Diagnostics;
using System.Globalization;

public static class Values
{
    private const int Longest = 200;

    // Without an activity nothing is formatted. For a type with a method of its own here no value is boxed: add those that are frequent.
    public static void MyInspector(object value, string method) => Add(value, method);

    public static void MyInspector(int value, string method) => Add(value, method);

    private static void Add<T>(T value, string method)
    {
        Activity activity = Activity.Current;
        if (activity == null || !activity.IsAllDataRequested)
        {
            return;
        }
        string text = Convert.ToString(value, CultureInfo.InvariantCulture) ?? "null";
        activity.AddEvent(new ActivityEvent("returned", tags: new ActivityTagsCollection
        {
            { "code.function.name", method },
            { "value", text.Length <= Longest ? text : text.Substring(0, Longest) },
        }));
    }
}
