/* The table of a file of named matrices, from its KIND_LIST of X(name, text, fill, parameter, exact): the rows, the
 * array KIND_NAMES of their names, ended by NULL, and the row of a name.  Included once by each such file, behind the
 * types `fill` and `exact_spectrum`. */
static const struct kind {
    const char *name, *text;
    fill fill;
    double parameter;
    exact_spectrum exact;
} kinds[] = {
#define KIND_ROW(name, text, fill, parameter, exact) {name, text, fill, parameter, exact},
    KIND_LIST(KIND_ROW)
#undef KIND_ROW
};

const char *const KIND_NAMES[] = {
#define KIND_NAME(name, text, fill, parameter, exact) name,
    KIND_LIST(KIND_NAME)
#undef KIND_NAME
        NULL,
};

/* NULL if there is no such kind. */
static const struct kind *find_kind(const char *name)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
        if (strcmp(kinds[k].name, name) == 0) return &kinds[k];
    return NULL;
}

static const char *kind_text(const char *name)
{
    const struct kind *const found = find_kind(name);
    return found ? found->text : NULL;
}
