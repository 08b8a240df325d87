// Loops a million deep, by the tail calls of a compiler: through several functions, through members of a type, through
// functions as values. The last value of each loop shows, where it is returned.
module Tails

open System.Runtime.CompilerServices

[<MethodImpl(MethodImplOptions.NoInlining)>]
let finish (n: int) : int = n * 2

[<MethodImpl(MethodImplOptions.NoInlining)>]
let toEnd (n: int) : int = finish (n + 1)

// a round of three
[<MethodImpl(MethodImplOptions.NoInlining)>]
let rec one (n: int) (sum: int) : int = if n <= 0 then sum else two (n - 1) (sum + 1)

and [<MethodImpl(MethodImplOptions.NoInlining)>] two (n: int) (sum: int) : int =
    if n <= 0 then sum else three (n - 1) (sum + 1)

and [<MethodImpl(MethodImplOptions.NoInlining)>] three (n: int) (sum: int) : int =
    if n <= 0 then toEnd sum else one (n - 1) (sum + 1)

// generic, and through a type
type Walker<'T>(value: 'T) =
    [<MethodImpl(MethodImplOptions.NoInlining)>]
    member this.Left(n: int) : 'T = if n <= 0 then value else this.Right(n - 1)

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    member this.Right(n: int) : 'T = if n <= 0 then value else this.Left(n - 1)

// continuations: what a function value leads to is not known
let rec sumTo (n: int) (k: int64 -> int64) : int64 =
    if n = 0 then k 0L else sumTo (n - 1) (fun sum -> k (sum + int64 n))

[<EntryPoint>]
let main _ =
    System.Console.WriteLine(toEnd 20)
    System.Console.WriteLine(one 1000001 0)
    System.Console.WriteLine(one 1000000 0)
    System.Console.WriteLine(Walker("left").Left 1000000)
    System.Console.WriteLine(Walker(3.5).Left 1000000)
    System.Console.WriteLine(sumTo 1000000 id)
    100
