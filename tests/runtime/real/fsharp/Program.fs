// Works FSharp.Core: collections, formatting, computation expressions, quotations. Prints results that are the
// same in every run.
open System
open Microsoft.FSharp.Quotations
open Microsoft.FSharp.Quotations.Patterns

type Shape =
    | Circle of radius: float
    | Box of width: float * height: float
    | Group of Shape list

type Row = { Name: string; Size: decimal option; Tags: Set<string> }

let rec area shape =
    match shape with
    | Circle r -> Math.PI * r * r
    | Box(w, h) -> w * h
    | Group shapes -> List.sumBy area shapes

let rec make depth =
    if depth = 0 then Circle 1.5
    else Group [ Box(float depth, 2.0); make (depth - 1); make (depth - 1) ]

let rec describe expr =
    match expr with
    | Lambda(v, body) -> sprintf "fun %s -> %s" v.Name (describe body)
    | Call(_, m, args) -> sprintf "%s(%s)" m.Name (args |> List.map describe |> String.concat ", ")
    | Var v -> v.Name
    | Value(v, t) -> sprintf "%A:%s" v t.Name
    | _ -> "?"

let collatz =
    Seq.unfold (fun n -> if n = 1L then None else Some(n, if n % 2L = 0L then n / 2L else 3L * n + 1L))

[<EntryPoint>]
let main _ =
    let shapes = make 10
    printfn "%.3f" (area shapes)
    printfn "%A" (make 2)
    printfn "%b %d" (make 6 = make 6) (compare (make 4) (make 5))

    let words = [ for i in 1 .. 3000 -> sprintf "%c%d" (char (97 + i % 26)) (i * 7919 % 1000) ]
    let counts = words |> List.countBy (fun w -> w.[0]) |> Map.ofList
    counts |> Map.iter (printf "%c=%d ")
    printfn ""
    let groups = words |> Seq.groupBy String.length |> Seq.map (fun (k, v) -> k, Seq.length v) |> Seq.sort
    printfn "%A" (Seq.toList groups)
    let distinct = words |> Set.ofList
    printfn "%d %s %s" distinct.Count distinct.MinimumElement distinct.MaximumElement
    printfn "%A" (List.foldBack (fun x acc -> (acc * 31 + x) % 1000003) [ 1 .. 20000 ] 7)
    printfn "%A" (Array.init 400 (fun i -> (i * 7919) % 401) |> Array.sortDescending |> Array.take 5)
    printfn "%A" (Array2D.init 3 4 (fun i j -> i * j) |> Array2D.map (fun x -> x + 1))
    printfn "%A" (collatz 97L |> Seq.windowed 3 |> Seq.filter (fun w -> w.[0] < w.[2]) |> Seq.length)

    let row = { Name = "r"; Size = Some 12.50m; Tags = set [ "b"; "a" ] }
    printfn "%A" { row with Size = None }
    printfn "%s|%5d|%-8s|%08.3f|%x|%O|%+d" "s" 42 "left" 3.14159 255 row.Name 7
    printfn "%A" (Result.bind (fun x -> if x > 3 then Ok(x * 2) else Error "small") (Ok 5))

    let sums =
        [ for i in 1 .. 40 -> async { return Seq.sum (seq { 1 .. i * 100 }) } ]
        |> Async.Parallel
        |> Async.RunSynchronously
    printfn "%d" (Array.sum sums)
    let query = query { for w in words do where (w.Length = 2); distinct; sortBy w; take 5 }
    printfn "%A" (Seq.toList query)
    printfn "%s" (describe <@ fun x y -> x * (y + 2) @>)
    printfn "%s" (try failwithf "no %d" 5 with Failure m -> m)
    printfn "%A" (bigint 3 ** 80, truncate 2.7, int64 1e12)
    0
