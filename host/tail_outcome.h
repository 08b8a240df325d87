/* The JIT's verdicts on tail calls: from the profiler, which receives them, to the command, which
 * reports them. */
#ifndef TAIL_OUTCOME_H
#define TAIL_OUTCOME_H

/* number: CorInfoTailCall, and one more; name; word in status lines and reports; meaning */
#define TAIL_OUTCOMES(X)                                                            \
    X(0, FAST, "fast", "a jump: the caller's frame is gone")                        \
    X(1, LOOP, "loop", "a branch to the method's own start")                        \
    X(2, HELPER, "helper",                                                          \
      "by helpers of the runtime: one frame stays for a whole chain of such calls") \
    X(3, REFUSED, "refused", "an ordinary call: the caller's frame stays")

enum tail_outcome {
#define X(number, name, word, text) TAIL_##name = (number),
    TAIL_OUTCOMES(X)
#undef X
        TAIL_OUTCOME_COUNT
};

static inline const char *tail_outcome_word(enum tail_outcome outcome)
{
    static const char *const words[TAIL_OUTCOME_COUNT] = {
#define X(number, name, word, text) [number] = (word),
        TAIL_OUTCOMES(X)
#undef X
    };
    return words[outcome];
}

#endif
