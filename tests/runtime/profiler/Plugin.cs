public static class Plugin
{
    public static int Answer(int x) { return Times(x); }
#if TWO
    static int Times(int x) { return x * 100; }
#else
    static int Times(int x) { return x * 10; }
#endif
}
