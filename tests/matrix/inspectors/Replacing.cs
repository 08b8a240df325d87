// Changes one value, which the program has to notice.
public static class Inspector
{
    public static long MyInspector(long value, string method)
    {
        Notes.Add(value, method);
        return method == "Cell.Values::Given" ? value + 1 : value;
    }

    public static void MyInspector(object value, string method) { Notes.Add(value, method); }
}
