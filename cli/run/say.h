/* What the program reports: exit statuses, the one sentence of a failure, and memory that cannot be had.  Every file of
 * the program may use this one; it uses no other. */
#ifndef EIG_CLI_SAY_H
#define EIG_CLI_SAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses; a run that a signal ended has 128 + its number in the shell. */
enum {
    CLI_OK = 0,
    CLI_FAILED = 1, /* a computation or comparison failed, or an output cannot be written */
    CLI_USAGE = 2   /* the command line is wrong, or an input cannot be read */
};

/* Prints "eigpack: sentence" to stderr and returns the status, so that callers can return it. */
int cli_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "eigpack: note: sentence" to stderr: nothing has failed. */
void say_note(const char *sentence);

/* Calls `clear` before each sentence, which takes the progress bar off the terminal. */
void say_after(void (*clear)(void));

/* Offers each sentence to `keep` and prints those that it does not take.  A rank keeps its sentence until all agree. */
void say_through(bool (*keep)(const char *sentence));

/* malloc(count * size) that refuses an overflow; at least one byte, so that NULL always means failure. */
void *cli_allocate(int64_t count, size_t size);

#endif
