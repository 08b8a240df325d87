public static class Host
{
    public static int Main()
    {
        return Library.Work.Twice("ab") == "abab" ? Library.Work.Sum(40, 60) : 1;
    }
}
