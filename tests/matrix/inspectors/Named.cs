public static class Inspector
{
    public static void MyInspector(object value, string method) { Notes.Add(value, method); }
}
