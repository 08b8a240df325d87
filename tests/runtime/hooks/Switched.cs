// Turns its own trace on and off by the signal, in the midst of calls.
using System;
using System.Runtime.InteropServices;
using System.Threading;

static class Switched
{
    [DllImport("libc")] static extern int kill(int process, int signal);
    [DllImport("libc")] static extern int getpid();
    [DllImport("libc")] static extern int __libc_current_sigrtmin();
    [DllImport("libswitched.so")] static extern int switched();

    static void Switch()
    {
        int before = switched();
        kill(getpid(), __libc_current_sigrtmin() + 4);
        while (switched() == before) { Thread.Sleep(1); }
    }

    static int First(int n) { return n == 0 ? 1 : First(n - 1); }
    static int Second(int n) { return n == 0 ? 1 : Second(n - 1); }
    static int Third(int n) { return n == 0 ? 1 : Third(n - 1); }

    // Entered in one state, left in another.
    static void Across(int n)
    {
        if (n > 0) { Across(n - 1); return; }
        Switch();
        Second(5);
    }
    static void Thrown(int n)
    {
        if (n > 0) { Thrown(n - 1); return; }
        Switch();
        throw new InvalidOperationException();
    }

    static void Main()
    {
        First(5);
        Across(3);
        First(6);
        try { Thrown(3); } catch (InvalidOperationException) { Third(5); }
        Console.WriteLine("done");
    }
}
