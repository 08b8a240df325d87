/* What the files of the hooks share. See state.h. */
#include "profiler/hooks/state.h"

struct hooks hooks;

_Thread_local struct hooks_thread *hooks_current;
