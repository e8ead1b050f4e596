/* The tree of representations of a tridiagonal matrix: a row for each level, the root above.  The root's box spans the
 * spectrum, on an axis; a cluster's box lies below its place in the box of its parent and is as much wider than the
 * cluster as the picture has room for: it has a scale of its own, from its least to its largest eigenvalue.  In every
 * box the eigenvalues that are single there are ticks.  The words of a box stand above it, where its line ends, so that
 * no line crosses words. */
#include "pictures/chart.h"
#include "pictures/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 760, LEFT = 92, RIGHT = 740, TOP = 126, BOX = 26, ROW = 88, FOOT = 10 };
enum { WIDEST = 120, NARROWEST = 3, APART = 4, WITH_WORDS = 22, WORDS = 14 };

/* A box of the picture. */
typedef struct place {
    double left, width, from, upto; /* pixels; the eigenvalues at its ends */
    int top;
} place;

typedef struct tree {
    const svg_stemr *t;
    place root, *box; /* [nodes] */
    int levels;
} tree;

static double pixel(const place *p, double w)
{
    double const length = p->upto / 2 - p->from / 2;
    double const part = length > 0 ? (w / 2 - p->from / 2) / length : 0.5;
    return p->left + 2 + fmin(1, fmax(0, part)) * fmax(0, p->width - 4);
}

static const place *parent_of(const tree *r, int64_t c)
{
    return r->t->node[c].parent < 0 ? &r->root : &r->box[r->t->node[c].parent];
}

/* Boxes of one level, left to right as they come; each below its place, but not over its neighbour, where there is room. */
static void place_level(tree *r, int level, int64_t *order)
{
    const eig_stemr_node *const node = r->t->node;
    int64_t count = 0;
    for (int64_t c = 0; c < r->t->nodes; c++) {
        if (node[c].level != level) continue;
        int64_t at = count++;
        for (; at > 0 && node[order[at - 1]].low > node[c].low; at--) order[at] = order[at - 1];
        order[at] = c;
    }
    double const room = (double)(RIGHT - LEFT) / (double)(count > 0 ? count : 1);
    double const width = fmin(WIDEST, fmax(NARROWEST, room - APART)), step = fmin(room, width + APART);
    for (int64_t i = 0; i < count; i++) {
        place *const b = &r->box[order[i]];
        double const middle = pixel(parent_of(r, order[i]), node[order[i]].low / 2 + node[order[i]].high / 2);
        double const first = i > 0 ? r->box[order[i - 1]].left + step : LEFT;
        *b = (place){fmax(first, middle - width / 2), width, node[order[i]].low, node[order[i]].high, 0};
        b->top = TOP + level * ROW;
    }
    double last = RIGHT - width;
    for (int64_t i = count - 1; i >= 0 && step <= room; i--, last -= step)
        r->box[order[i]].left = fmin(r->box[order[i]].left, last);
}

/* The lines from a box to those of its children, then the box itself. */
static void draw_box(FILE *out, const tree *r, const place *p, int64_t number)
{
    bool const good = number < 0 || r->t->node[number].good;
    fprintf(out, "<path stroke=\"#888\" stroke-width=\"0.7\" fill=\"none\" d=\"");
    for (int64_t c = number + 1; c < r->t->nodes; c++) {
        const eig_stemr_node *const child = &r->t->node[c];
        if (child->parent != number) continue;
        const place *const b = &r->box[c];
        fprintf(out, "M%.1f %dL%.1f %d", pixel(p, child->low / 2 + child->high / 2), p->top + BOX,
                b->left + b->width / 2, b->width < WITH_WORDS ? b->top : b->top - WORDS);
    }
    fprintf(out,
            "\"/>\n<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\" stroke=\"%s\"/>\n",
            number < 0 ? "root"
            : good     ? "cluster"
                       : "bad",
            p->left, p->top, p->width, BOX, good ? "#dcebf7" : "#f5d6d0", good ? "#2b6ca3" : "#b03a2e");
}

/* The deepest node that holds eigenvalue w; -1: none does. */
static int64_t home_of(const tree *r, double w)
{
    int64_t home = -1;
    for (int64_t c = 0; c < r->t->nodes; c++) {
        const eig_stemr_node *const node = &r->t->node[c];
        if (node->low <= w && w <= node->high && (home < 0 || node->level > r->t->node[home].level)) home = c;
    }
    return home;
}

/* Ticks closer than a quarter pixel are drawn once. */
static void draw_ticks(FILE *out, const tree *r)
{
    double *const last = (double *)malloc((size_t)(r->t->nodes + 1) * sizeof *last);
    if (!last) return;
    for (int64_t c = 0; c <= r->t->nodes; c++) last[c] = -1;
    fprintf(out, "<path class=\"singles\" stroke=\"#b03a2e\" stroke-width=\"0.8\" d=\"");
    for (int64_t k = 0; k < r->t->m; k++) {
        int64_t const home = home_of(r, r->t->w[k]);
        const place *const p = home < 0 ? &r->root : &r->box[home];
        double const at = pixel(p, r->t->w[k]);
        if (at < last[home + 1] + 0.25) continue;
        fprintf(out, "M%.2f %dv%d", at, p->top + 4, BOX - 8);
        last[home + 1] = at;
    }
    fprintf(out, "\"/>\n");
    free(last);
}

static void draw_words(FILE *out, const tree *r)
{
    for (int level = 0; level <= r->levels; level++) {
        int const y = TOP + level * ROW + BOX / 2 + 4;
        fprintf(out,
                level == 0 ? "<text x=\"16\" y=\"%d\">blocks</text>\n" : "<text x=\"16\" y=\"%d\">level %d</text>\n", y,
                level);
    }
    for (int64_t c = 0; c < r->t->nodes; c++) {
        const place *const b = &r->box[c];
        char number[LABEL_SIZE], words[LABEL_SIZE + 32];
        if (b->width < WITH_WORDS) continue;
        int const most = (int)((b->width + APART) / 5); /* letters that have room */
        int const count = snprintf(words, sizeof words, "%lld", (long long)r->t->node[c].members);
        chart_number(number, 2, chart_finite(b->upto - b->from));
        if (count + 4 + (int)strlen(number) <= most)
            snprintf(words + count, sizeof words - (size_t)count, " in %s", number);
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" font-size=\"10\">%s</text>\n",
                b->left + b->width / 2, b->top - 3, words);
    }
    fprintf(out, "<text x=\"%d\" y=\"46\">", LEFT);
    chart_text(out, r->t->words[0]);
    fprintf(out, "</text>\n<text x=\"%d\" y=\"64\">", LEFT);
    chart_text(out, r->t->words[1]);
    fputs("</text>\n", out);
}

static void draw(FILE *out, tree *r, int64_t *order)
{
    const svg_stemr *const t = r->t;
    double const low = t->m > 0 ? t->w[0] : 0, high = t->m > 0 ? t->w[t->m - 1] : 0;
    double const pad = high > low ? 0 : fabs(low) < 1e-290 ? 1 : 0.05 * fabs(low);
    axis const x = axis_make(low - pad, high + pad, 0, LEFT + 2, RIGHT - 2, "eigenvalue");
    r->root = (place){LEFT, RIGHT - LEFT, x.low, x.high, TOP};
    for (int level = 1; level <= r->levels; level++) place_level(r, level, order);
    chart_axis_above(out, &x, TOP);
    draw_box(out, r, &r->root, -1);
    for (int64_t c = 0; c < t->nodes; c++) draw_box(out, r, &r->box[c], c);
    draw_ticks(out, r);
    draw_words(out, r);
}

bool svg_tree(const char *path, const char *title, const svg_stemr *t, io_error *error)
{
    tree r = {.t = t};
    chart c;
    for (int64_t k = 0; k < t->nodes; k++)
        if (t->node[k].level > r.levels) r.levels = t->node[k].level;
    r.box = (place *)calloc((size_t)t->nodes + 1, sizeof *r.box);
    int64_t *const order = (int64_t *)calloc((size_t)t->nodes + 1, sizeof *order);
    int const height = TOP + r.levels * ROW + BOX + FOOT;
    bool good = r.box && order;
    if (!good) snprintf(error->text, sizeof error->text, "%s: no memory for the picture", path);
    good = good && chart_begin(&c, path, WIDTH, height, LEFT, title, error);
    if (good) draw(c.out, &r, order);
    good = good && chart_end(&c, path, error);
    free(r.box), free(order);
    return good;
}
