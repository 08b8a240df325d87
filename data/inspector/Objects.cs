// Objects and structs, each written by the shape of its type (Shapes.cs). No code of the program
// runs: fields are read, and for the framework's types a few members that do not call the program.

using System;
using System.Globalization;
using System.Reflection;

namespace MyProfiler
{
    static class Objects
    {
        internal static void Append(Text text, object value, Type type, int depth)
        {
            Shape shape = Shapes.Of(type);
            if (text.IsWithin(value, depth))
            {
                shape.Hide(text, "cycle", depth);
                return;
            }
            text.Enter(value, depth);
            shape.Append(text, value, depth);
        }
    }

    // How the values of a type are written. Made once for each type.
    abstract class Shape
    {
        internal abstract void Append(Text text, object value, int depth);

        // Writes the reason instead of the content: `...` or `cycle`.
        internal virtual void Hide(Text text, string why, int depth)
        {
            text.Append("{" + why + "}");
        }
    }

    // Written with a name if it is within another value: classes.
    abstract class Named : Shape
    {
        readonly string name;           // null: it has none

        protected Named(string name)
        {
            this.name = name;
        }

        // Without namespace, enclosing types and arity; null for a compiler-generated one.
        internal static string NameOf(Type type)
        {
            if (type.IsValueType || type.Name.StartsWith("<>", StringComparison.Ordinal))
            {
                return null;
            }
            int end = type.Name.IndexOf('`');
            return end < 0 ? type.Name : type.Name.Substring(0, end);
        }

        internal override void Append(Text text, object value, int depth)
        {
            AppendName(text, depth);
            Contents(text, value, depth);
        }

        internal override void Hide(Text text, string why, int depth)
        {
            AppendName(text, depth);
            base.Hide(text, why, depth);
        }

        void AppendName(Text text, int depth)
        {
            if (name != null && depth > 1)
            {
                text.AppendName(name);
                text.Append(" ");
            }
        }

        protected abstract void Contents(Text text, object value, int depth);
    }

    // The methods that a delegate calls. No member of it is the program's: delegate classes have
    // only runtime methods.
    sealed class DelegateShape : Named
    {
        internal DelegateShape(string name) : base(name)
        {
        }

        protected override void Contents(Text text, object value, int depth)
        {
            // The copy in the core library sees delegates that are still being constructed: reading
            // Method of one ended the process (CoreCLR 10).
            if (Format.IsCoreLibrary(typeof(DelegateShape)))
            {
                text.Append("{...}");
                return;
            }
            Delegate[] calls = ((Delegate)value).GetInvocationList();
            bool one = calls.Length == 1;
            if (one && NameOf(calls[0]) == null)
            {
                text.Append("{...}");
                return;
            }
            int shown = 0;
            text.Append(one ? "{" : "{" + calls.Length.ToString(CultureInfo.InvariantCulture) + ": ");
            for (int i = 0; i < calls.Length && Format.Next(text, ref shown, Settings.Current.Elements); i++)
            {
                text.AppendName(NameOf(calls[i]) ?? "{...}");
            }
            text.Append("}");
        }

        // As at the start of a line: "Shop.Cart/Line::Total". Null without an assembly: a native
        // function, a DynamicMethod.
        static string NameOf(Delegate call)
        {
            MethodInfo method = call.Method;
            Type owner = method.DeclaringType;
            if (owner == null || owner == call.GetType())
            {
                return null;
            }
            string name = owner.Name + "::" + method.Name;
            for (; owner.DeclaringType != null; owner = owner.DeclaringType)
            {
                name = owner.DeclaringType.Name + "/" + name;
            }
            return string.IsNullOrEmpty(owner.Namespace) ? name : owner.Namespace + "." + name;
        }
    }

    // Objects of the core library: their fields mean nothing to a reader.
    sealed class Opaque : Named
    {
        internal Opaque(string name) : base(name)
        {
        }

        protected override void Contents(Text text, object value, int depth)
        {
            text.Append("{...}");
        }
    }

    sealed class Fields : Named
    {
        readonly Member[] members;
        readonly Display display;       // null: there is no DebuggerDisplay
        readonly bool perhapsRemote;

        internal Fields(Type type) : this(type, Layout.Members(type))
        {
            display = Display.Of(type, members);
        }

        Fields(Type type, Member[] members) : base(NameOf(type))
        {
            this.members = members;
            perhapsRemote = typeof(MarshalByRefObject).IsAssignableFrom(type);
        }

        // Shows only the fields that mean something to a reader.
        internal static Shape Chosen(Type type, Type at, string[] f)
        {
            Member[] members = Choose(at, f);
            return members == null ? null : new Fields(type, members);
        }

        // Of "pattern=Pattern" and "Value": the field named before the =, and the name shown. Null
        // unless all exist.
        static Member[] Choose(Type type, string[] each)
        {
            Member[] members = new Member[each.Length];
            for (int i = 0; i < each.Length; i++)
            {
                string[] parts = each[i].Split('=');
                FieldInfo field = Layout.Find(type, parts[0]);
                if (field == null)
                {
                    return null;
                }
                members[i] = new Member(field, parts[parts.Length - 1]);
                members[i].Secrecy = Settings.Current.Redaction.OfName(members[i].Name);
            }
            return members;
        }

        protected override void Contents(Text text, object value, int depth)
        {
            if (perhapsRemote && Proxies.IsProxy(value))
            {
                text.Append("{...}");
            }
            else if (display != null && (depth <= Settings.Current.Depth || members.Length == 0))
            {
                display.Append(text, value, depth);
            }
            else
            {
                Format.Fields(text, value, members, depth);
            }
        }
    }

    sealed class ExceptionShape : Named
    {
        readonly FieldInfo message, inner;
        readonly Member[] members;

        internal ExceptionShape(Type type) : base(NameOf(type))
        {
            message = Layout.Find(typeof(Exception), "_message");
            inner = Layout.Find(typeof(Exception), "_innerException");
            members = Layout.Members(type);
        }

        protected override void Contents(Text text, object value, int depth)
        {
            if (depth > Settings.Current.Depth)
            {
                text.Append("{...}");
                return;
            }
            int shown = 0;
            text.Append("{");
            Known(text, "Message=", message, value, depth, ref shown);
            Known(text, "InnerException=", inner, value, depth, ref shown);
            Format.Members(text, value, members, depth, ref shown);
            text.Append("}");
        }

        static void Known(Text text, string name, FieldInfo field, object holder, int depth, ref int shown)
        {
            object value = field == null ? null : field.GetValue(holder);
            if (value != null && Format.Next(text, ref shown, Format.MaxFields))
            {
                text.AppendName(name);
                Format.Guarded(text, value, null, depth + 1);
            }
        }
    }

    // Objects in another domain or process: reading a field would be a remote call.
    static class Proxies
    {
        static Func<object, bool> check;
        static bool looked;

        internal static bool IsProxy(object value)
        {
            if (!looked)
            {
                Type services = typeof(object).Assembly.GetType("System.Runtime.Remoting.RemotingServices");
                MethodInfo method = services == null
                    ? null
                    : services.GetMethod("IsTransparentProxy", new Type[] { typeof(object) });
                check = method == null
                    ? null
                    : (Func<object, bool>)Delegate.CreateDelegate(typeof(Func<object, bool>), method, false);
                looked = true;
            }
            return check != null && check(value);
        }
    }
}
