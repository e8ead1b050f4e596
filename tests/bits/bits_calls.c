/* Checksums of the calls of tests/support/calls.h: one a row, of the outputs' elements in all types. */
#include "bits.h"
#include "support/operations.h"

void bits_calls(void)
{
    static outputs o;
    static char elements[BLOCK];
    for (int i = 0; i < operations_here(); ++i) {
        char name[80];
        for (const char *type = function_of(operations[i].name)->types; *type; ++type) {
            outputs_clear(&o);
            bits_demand(operate_in(bits_ctx, &operations[i], (eig_type)*type, false, &o, NULL));
            outputs_gather(&o, elements);
            bits_digest(elements, BLOCK);
        }
        snprintf(name, sizeof name, "%s", operations[i].name);
        for (char *at = name; (at = strchr(at, ' ')) != NULL;) *at = '-';
        bits_end_case(name);
    }
}
