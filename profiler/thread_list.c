/* Lists counting threads: a singly linked list, newest first, whose records belong to the threads.
 * See thread_list.h. A thread may end while thread_list_sum() runs: the lock decides, and the
 * record is counted by exactly one of them, as one that is no longer in the list has been
 * counted. */
#include "profiler/thread_list.h"

/* `listed` is only used by the thread itself, so it needs no lock. */
void thread_list_add(struct thread_list *list, struct listed_thread *thread)
{
    if (thread->listed) {
        return;
    }
    thread->listed = true;
    pthread_mutex_lock(&list->lock);
    thread->next = list->first;
    list->first = thread;
    pthread_mutex_unlock(&list->lock);
}

void thread_list_end(struct thread_list *list, struct listed_thread *thread, listed_sum *sum)
{
    pthread_mutex_lock(&list->lock);
    for (struct listed_thread **link = &list->first; *link; link = &(*link)->next) {
        if (*link == thread) {
            *link = thread->next;
            sum(thread);
            break;
        }
    }
    pthread_mutex_unlock(&list->lock);
}

static void visit(const struct thread_list *list, listed_sum *sum)
{
    for (struct listed_thread *thread = list->first; thread; thread = thread->next) {
        sum(thread);
    }
}

void thread_list_visit(struct thread_list *list, listed_sum *sum)
{
    pthread_mutex_lock(&list->lock);
    visit(list, sum);
    pthread_mutex_unlock(&list->lock);
}

/* The records themselves stay as they are: a thread may be counting in its own at this moment. */
void thread_list_sum(struct thread_list *list, listed_sum *sum)
{
    pthread_mutex_lock(&list->lock);
    visit(list, sum);
    list->first = NULL;
    pthread_mutex_unlock(&list->lock);
}
