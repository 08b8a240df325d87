using System;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

class Card { public string Number = "card-zqxj"; }

class Box<T>
{
    internal class Slip { public string Number = "slip-zqxj"; }
}

class User
{
    public string Name = "ada";
    public string Password = "pass-zqxj";
    public int Zip = 1947114711;
    public Card Paid = new Card();
}

static class Login
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static User Find(string name, string password, int zip) { return new User(); }
    [MethodImpl(MethodImplOptions.NoInlining)]
    static Box<int>.Slip Lend() { return new Box<int>.Slip(); }
    [MethodImpl(MethodImplOptions.NoInlining)]
    static string GetToken() { return "token-zqxj"; }
    [MethodImpl(MethodImplOptions.NoInlining)]
    static async Task<string> GetSecretAsync() { await Task.CompletedTask; return "secret-zqxj"; }

    static int Main()
    {
        Find("ada", "argument-zqxj", 1947114711);
        Lend();
        GetToken();
        return GetSecretAsync().Result.Length == 11 ? 0 : 1;
    }
}
