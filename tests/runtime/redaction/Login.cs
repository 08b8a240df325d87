using System;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

class Card { public string Number = "card-4711"; }

class Box<T>
{
    internal class Slip { public string Number = "slip-4711"; }
}

class User
{
    public string Name = "ada";
    public string Password = "pass-4711";
    public int Zip = 94711;
    public Card Paid = new Card();
}

static class Login
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static User Find(string name, string password, int zip) { return new User(); }
    [MethodImpl(MethodImplOptions.NoInlining)]
    static Box<int>.Slip Lend() { return new Box<int>.Slip(); }
    [MethodImpl(MethodImplOptions.NoInlining)]
    static string GetToken() { return "token-4711"; }
    [MethodImpl(MethodImplOptions.NoInlining)]
    static async Task<string> GetSecretAsync() { await Task.CompletedTask; return "secret-4711"; }

    static int Main()
    {
        Find("ada", "argument-4711", 94711);
        Lend();
        GetToken();
        return GetSecretAsync().Result.Length == 11 ? 0 : 1;
    }
}
