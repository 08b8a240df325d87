# What .NET 9 and older have otherwise than what the tests expect of .NET 10: see expected() in tests/lib.sh.
# Names of the framework's own types.
s/DenseIntegralFrozenDictionary+WithOptionalValues`3\[System.Int32,System.Int32,System.String\]/SmallValueTypeComparableFrozenDictionary`2[System.Int32,System.String]/
# A function of the runtime's native code, which no assembly has.
/^Delegates::Intrinsic /s/{System.Math::Sqrt}/{...}/
# Arguments and values of a trace, by the type parameters of a class whose instances share code.
/^[+-] Pair`2::/{
    s/a=3/a bytes/
    s/b=object/b bytes/
    s/ 3$/ bytes/
}
# What the JIT makes of an explicit tail call of a function that it may replace.
/P::IntrinsicCall(float64)  ->/{
    s/refused/fast   /
    s/  - Might turn into an intrinsic$//
}
s/^\(explicit tail calls in methods that ran:\) 12 fast\(.*\) 7 refused/\1 13 fast\2 6 refused/
