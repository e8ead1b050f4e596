/* A folder to work in, files made from bytes, and refusals: see io_files.h. */
#define _POSIX_C_SOURCE 200809L
#include "io_files.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[256];

int folder_setup(void **state)
{
    const char *const base = getenv("TMPDIR");
    (void)state;
    snprintf(folder, sizeof folder, "%s/eigpack-test-XXXXXX", base && *base ? base : "/tmp");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int visit_files(bool remove_them)
{
    DIR *const dir = opendir(".");
    assert_non_null(dir);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        ++count;
        if (remove_them) remove(entry->d_name);
    }
    closedir(dir);
    return count;
}

int folder_files(void)
{
    return visit_files(false);
}

int folder_teardown(void **state)
{
    (void)state;
    visit_files(true);
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

void put_bytes(const char *name, const void *bytes, size_t count)
{
    FILE *const file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

void put_text(const char *name, const char *text)
{
    put_bytes(name, text, strlen(text));
}

char *get_bytes(const char *name, size_t *count)
{
    FILE *const file = fopen(name, "rb");
    assert_non_null(file);
    char *const bytes = (char *)malloc(1 << 20);
    assert_non_null(bytes);
    *count = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

void put_npy(const char *name, const char *version, const char *dictionary, const void *data, size_t count)
{
    size_t const length = strlen(dictionary);
    char bytes[1024] = {
        '\x93', 'N', 'U', 'M', 'P', 'Y', version[0], version[1], (char)(length & 255), (char)(length >> 8)};
    size_t const start = version[0] == 1 ? 10 : 12;
    assert_true(start + length + count <= sizeof bytes);
    memcpy(bytes + start, dictionary, length);
    memcpy(bytes + start + length, data, count);
    put_bytes(name, bytes, start + length + count);
}

void assert_refused(bool done, const char *name, const io_error *error, const char *words)
{
    if (done) fail_msg("%s was accepted; expected: %s", name, words);
    if (strncmp(error->text, name, strlen(name)) != 0 || !strstr(error->text, words)) {
        fail_msg("%s: expected '%s' in: %s", name, words, error->text);
    }
}
