# What .NET Core 3.1 has otherwise besides.
# Types that it does not have.
/^Cases\.Newer::\(Half\|Wide\|Date\|Time\) /d
/^Cases\.Immutables::\(Frozen\(Numbers\|Wide\|Texts\|Set\|TextSet\)\{0,1\}\|Priorities\) /d
/^Cases\.Latest::\(Far\|FarSet\|FrozenEmpty\|FrozenSetEmpty\|Node[A-Za-z]*\) /d
/^Cases\.Nodes::/d
# Methods, and what its compiler can make of a collection expression.
/^Cases\.ValueTasks::OverFaulted /d
/^Cases\.Newer::\(Immutable\|EmptyImmutable\) /d
# A completed task is of no other type.
/^Cases\.Tasks::Plain /s/Task`1\[System\.Threading\.Tasks\.VoidTaskResult\]/Task/
# The handle of a weak reference is in native code's own form.
/^Cases\.Waiting::Weak/s/{Target=[^{}]*}/{...}/g
/^Cases\.Waiting::WeakDerived /s/{\.\.\.}/{}/
