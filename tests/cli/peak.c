/* Runs a command and writes the largest memory that it held at a time, in KiB, to a file:
 *   peak FILE COMMAND ARGUMENTS...
 * Its exit status is the command's, 128 + the number of a signal that ended it. */
#define _DEFAULT_SOURCE /* wait4 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int status = 0;
    struct rusage used;
    if (argc < 3) return 2;
    pid_t const child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) != child) return 2;
    FILE *const file = fopen(argv[1], "w");
    if (!file) return 2;
    fprintf(file, "%ld\n", used.ru_maxrss);
    fclose(file);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
