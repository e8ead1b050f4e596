/* A pointer that wraps: under the sanitizer of undefined behaviour this program must not end with 0. */
#include <stdint.h>

int main(void)
{
    char *volatile const last = (char *)(UINTPTR_MAX - 100);
    volatile uintptr_t const step = 200;
    return last + step == (char *)1;
}
