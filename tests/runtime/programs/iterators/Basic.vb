' Iterators of another compiler: its state machines have other names, and there are iterators among the lambdas.
Imports System
Imports System.Collections.Generic

Namespace Global.Basic
    Class Generic(Of T)
        Public Iterator Function Twice(value As T) As IEnumerable(Of T)
            Yield value
            Yield value
        End Function
    End Class

    Module Program
        Iterator Function Numbers() As IEnumerable(Of Integer)
            Try
                Yield 1
                Yield 2
            Finally
                Console.WriteLine("finally")
            End Try
        End Function

        Iterator Function Texts() As IEnumerator(Of String)
            Yield "a"
            Return
        End Function

        Function Main() As Integer
            Dim doubled = Iterator Function(n As Integer) As IEnumerable(Of Integer)
                              Yield n
                              Yield n * 2
                          End Function
            For Each n In Numbers()
                Console.WriteLine(n)
            Next
            Dim all = Texts()
            While all.MoveNext()
                Console.WriteLine(all.Current)
            End While
            For Each n In doubled(4)
                Console.WriteLine(n)
            Next
            For Each d In New Generic(Of Decimal)().Twice(0.5D)
                Console.WriteLine(d > 0)
            Next
            Return 100
        End Function
    End Module
End Namespace
