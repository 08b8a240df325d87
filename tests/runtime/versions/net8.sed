# What .NET 8 and older have otherwise besides.
# Names of the framework's own types.
/^Cases\.Groups::Lookup/s/System\.Linq\.\(CollectionLookup\|EmptyLookup\)`2/System.Linq.Lookup`2/
s/JsonValueOfElement/JsonValuePrimitive`1[System.Text.Json.JsonElement]/
# Types, and type parameters that may be byref-like, which it does not have.
/^Cases\.Newer::ReadOnlySet /d
/^Cases\.Latest::Ordered/d
/^Net::AnyRef(/d
/^Cases\.Records::Primary /s/Lock {...}/object/
# Parsed JSON has the number of rows, not that of members.
/^Cases\.Elements::ManyMembers /s/\[300:/[256+:/
# A JsonObject is a list of pairs, which are a level of their own.
/^Cases\.Latest::NodeWithin /{
    s/"deep"=\[1: \.\.\.\]/{...}/
    s/"deeper"=1/{...}/
}
/^Cases\.\(Latest::NodeOfObject\|Nodes::Looked\) /s/"a"=1, \.\.\.\]/{...}, ...]/
