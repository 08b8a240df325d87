public static class Inspector
{
    public static void MyInspector(object value) { Notes.Add(value, "?"); }
}
