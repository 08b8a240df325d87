public static class Inspector
{
    public static void Inspect<T>(T value, string method) { Notes.Add(typeof(T).Name + " " + value, method); }
}
