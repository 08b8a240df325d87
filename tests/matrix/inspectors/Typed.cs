public static class Inspector
{
    public static void MyInspector(int value, string method) { Notes.Add("int " + value, method); }
    public static void MyInspector(string value, string method) { Notes.Add("string " + value, method); }
    public static void MyInspector(long value) { Notes.Add("long " + value, "?"); }
    public static void MyInspector(object value, string method) { Notes.Add(value, method); }
}
