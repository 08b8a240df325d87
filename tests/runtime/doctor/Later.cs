// Loaded when the program reads that it has to.
public static class Later
{
    public static int Answer() => 42;
}
