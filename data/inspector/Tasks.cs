// Tasks: their status and result. Read from their fields, because the members wait, or mark
// exceptions as observed.

using System;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;

namespace MyProfiler
{
    sealed class TaskShape : Named
    {
        Member result;                  // null: no result
        string parts;                   // the field for rarely used properties

        // State machines that are tasks, too, are shown as tasks.
        TaskShape() : base("Task")
        {
        }

        internal static Shape Of(Type type, string[] f)
        {
            TaskShape task = new TaskShape();
            if (!typeof(Task).IsAssignableFrom(type))
            {
                return null;
            }
            task.parts = f[1];
            task.result = f.Length > 2 ? ResultOf(type, f[2]) : null;
            return task;
        }

        internal static Member ResultOf(Type type, string name)
        {
            FieldInfo field = Layout.Find(type, name);
            return field == null || field.FieldType.FullName == "System.Threading.Tasks.VoidTaskResult" ? null : new Member(field);
        }

        protected override void Contents(Text text, object value, int depth)
        {
            Append(text, (Task)value, depth);
        }

        internal void Append(Text text, Task task, int depth)
        {
            if (depth > Settings.Current.Depth)
            {
                text.Append("{...}");
                return;
            }
            TaskStatus status = task.Status;
            text.Append("{Status=" + status.ToString());
            if (status == TaskStatus.RanToCompletion)
            {
                Result(text, task, result, depth);
            }
            object exception = status == TaskStatus.Faulted ? FirstException(task) : null;
            if (exception != null)
            {
                text.Append(", Exception=");
                Format.Guarded(text, exception, null, depth + 1);
            }
            text.Append("}");
        }

        internal static void Result(Text text, object holder, Member result, int depth)
        {
            if (result != null)
            {
                text.Append(", Result=");
                Format.Guarded(text, holder, result, depth + 1);
            }
        }

        object FirstException(Task task)
        {
            Array exceptions = In(Linked(Linked(In(task, parts))), "_items") as Array;
            return exceptions == null || exceptions.Length == 0 ? null : Linked(exceptions.GetValue(0));
        }

        // The object that the field of its row references.
        static object Linked(object holder)
        {
            string row = holder == null ? null : Layout.Row(holder.GetType());
            return row == null ? null : In(holder, row.Replace("LINK ", "").Replace('|', ' '));
        }

        static object In(object holder, string names)
        {
            FieldInfo field = holder == null ? null : Layout.Find(holder.GetType(), names);
            return field == null ? null : field.GetValue(holder);
        }
    }

    // The value is there when its factory is null.
    sealed class LazyShape : Named
    {
        FieldInfo state;
        Member made;

        LazyShape(Type type) : base(NameOf(type))
        {
        }

        internal static Shape Of(Type type, string[] f)
        {
            LazyShape lazy = new LazyShape(type);
            FieldInfo value = Layout.Find(type, f[1]);
            lazy.state = Layout.Find(type, f[0]);
            lazy.made = value == null ? null : new Member(value);
            return lazy.state == null || value == null ? null : lazy;
        }

        protected override void Contents(Text text, object value, int depth)
        {
            if (depth > Settings.Current.Depth)
            {
                text.Append("{...}");
            }
            else if (state.GetValue(value) != null)
            {
                text.Append("{IsValueCreated=false}");
            }
            else
            {
                text.Append("{IsValueCreated=true, Value=");
                Format.Guarded(text, value, made, depth + 1);
                text.Append("}");
            }
        }
    }

    // CancellationToken and its source. The property reads a field.
    sealed class CancellationShape : Named
    {
        internal CancellationShape(Type type) : base(NameOf(type))
        {
        }

        protected override void Contents(Text text, object value, int depth)
        {
            CancellationTokenSource source = value as CancellationTokenSource;
            bool requested = source != null ? source.IsCancellationRequested : ((CancellationToken)value).IsCancellationRequested;
            text.Append(depth > Settings.Current.Depth ? "{...}"
                : requested ? "{IsCancellationRequested=true}"
                : "{IsCancellationRequested=false}");
        }
    }

    sealed class ValueTaskShape : Shape
    {
        FieldInfo source;
        Member result;

        internal static Shape Of(Type type, string[] f)
        {
            ValueTaskShape task = new ValueTaskShape();
            task.source = Layout.Find(type, f[0] + " _task");
            task.result = f.Length > 1 ? TaskShape.ResultOf(type, f[1]) : null;
            return task.source == null ? null : task;
        }

        internal override void Append(Text text, object value, int depth)
        {
            object holder = source.GetValue(value);
            Task task = holder as Task;
            if (depth > Settings.Current.Depth || (holder != null && task == null))
            {
                text.Append("{...}");
            }
            else if (task != null)
            {
                ((TaskShape)Shapes.Of(task.GetType())).Append(text, task, depth);
            }
            else
            {
                text.Append("{Status=RanToCompletion");
                TaskShape.Result(text, value, result, depth);
                text.Append("}");
            }
        }
    }
}
