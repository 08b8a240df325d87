' Async methods of Visual Basic, whose compiler has other names for fields.
Imports System
Imports System.Collections.Generic
Imports System.Threading.Tasks

Structure Point
    Public X As Integer
    Public Async Function Plus(more As Integer) As Task(Of Integer)
        Await Task.Delay(1)
        Return X + more
    End Function
End Structure

Class Holder(Of T)
    Public Value As T
    Public Async Function [With](Of U)(other As U, count As Integer) As Task(Of KeyValuePair(Of T, U))
        Await Task.Delay(1)
        If count < 0 Then Throw New ArgumentException("count " & count)
        Return New KeyValuePair(Of T, U)(Value, other)
    End Function
End Class

Module Basic
    Async Function Sum(a As Integer, text As String) As Task(Of Integer)
        Await Task.Delay(1)
        Return a + text.Length
    End Function

    Async Function Called(n As Integer, time As Date) As Task(Of String)
        Await Task.Delay(1)
        Return n.ToString("D3") & time.Year
    End Function

    Async Function Changed(n As Integer, text As String) As Task(Of Integer)
        Await Task.Delay(1)
        n += text.Length
        Return n
    End Function

    Async Function Captured(n As Integer) As Task(Of Integer)
        Await Task.Delay(1)
        Dim add As Func(Of Integer) = Function() n + 1
        Return add()
    End Function

    Sub Main()
        Console.WriteLine(Sum(1, "two").Result)
        Console.WriteLine(Called(7, New Date(2026, 1, 31)).Result)
        Console.WriteLine(Changed(1, "two").Result)
        Console.WriteLine(Captured(1).Result)
        Console.WriteLine((New Point With {.X = 3}).Plus(4).Result)
        Console.WriteLine((New Holder(Of String) With {.Value = "v"}).With(2.5, 1).Result)
        Try
            Console.WriteLine((New Holder(Of Integer) With {.Value = 1}).With("x", -1).Result)
        Catch e As AggregateException
            Console.WriteLine(e.InnerException.Message)
        End Try
    End Sub
End Module
