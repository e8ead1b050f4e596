#include "run/say.h"
#include "io/io.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void (*clear_bar)(void);
static bool (*keep_sentence)(const char *sentence);

void say_after(void (*clear)(void))
{
    clear_bar = clear;
}

void say_through(bool (*keep)(const char *sentence))
{
    keep_sentence = keep;
}

int cli_fail(int status, const char *format, ...)
{
    char raw[1024], sentence[1024];
    if (clear_bar) clear_bar();
    va_list list;
    va_start(list, format);
    vsnprintf(raw, sizeof raw, format, list);
    va_end(list);
    io_escape(sentence, sizeof sentence, raw);
    if (!keep_sentence || !keep_sentence(sentence)) fprintf(stderr, "eigpack: %s\n", sentence);
    return status;
}

void say_note(const char *raw)
{
    char sentence[1024];
    if (clear_bar) clear_bar();
    io_escape(sentence, sizeof sentence, raw);
    fprintf(stderr, "eigpack: note: %s\n", sentence);
}

void *cli_allocate(int64_t count, size_t size)
{
    if (count < 0 || (uint64_t)count > SIZE_MAX / size) return NULL;
    size_t const bytes = (size_t)count * size;
    return malloc(bytes ? bytes : 1);
}
