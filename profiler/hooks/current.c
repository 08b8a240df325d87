/* The thread's record. See current.h. */
#include "profiler/hooks/current.h"

_Thread_local struct hooks_thread *hooks_current;
