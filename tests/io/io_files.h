/* What the tests of io share: a folder of their own to work in, files made from bytes, and refusals. */
#ifndef EIG_TESTS_IO_FILES_H
#define EIG_TESTS_IO_FILES_H

#include "io/io.h"
#include "support/skip.h"

/* A cmocka group's setup and teardown: makes an empty folder and moves into it; removes it and all files in it. */
int folder_setup(void **state);
int folder_teardown(void **state);

/* How many files in the folder, hidden ones included. */
int folder_files(void);

/* Makes a file of the given bytes. */
void put_bytes(const char *name, const void *bytes, size_t count);
void put_text(const char *name, const char *text);

/* The bytes of a file, to be freed. */
char *get_bytes(const char *name, size_t *count);

/* A .npy file of the given version ("\1\0", "\2\0", "\3\0"), header dictionary and data. */
void put_npy(const char *name, const char *version, const char *dictionary, const void *data, size_t count);

/* Fails the test unless done is false and the sentence begins with the file's name and has the given words in it. */
void assert_refused(bool done, const char *name, const io_error *error, const char *words);

#endif
