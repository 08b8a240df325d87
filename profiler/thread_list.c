/* Lists counting threads. See thread_list.h. */
#include "profiler/thread_list.h"

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

void thread_list_sum(struct thread_list *list, listed_sum *sum)
{
    pthread_mutex_lock(&list->lock);
    visit(list, sum);
    list->first = NULL;
    pthread_mutex_unlock(&list->lock);
}
