/* parameter_space: which gains of a controller make a plant stable?  Every point of a 50 x 50 x 50 grid is tried.
 *
 * The plant: six masses in a row, springs between them and to a wall, little damping; an actuator with a lag pushes
 * the first mass.  The controller: u = -Kp q - Ki (integral of q) - Kd q', q the position of the first mass.  With two
 * states of the actuator and the integrator that is a 15 x 15 matrix, affine in the three gains:
 *     A(K) = A0 + Kp A1 + Ki A2 + Kd A3
 * The closed loop is stable where all eigenvalues lie to the left of the imaginary axis, that is, where the spectral
 * abscissa is negative.  H. Tokura et al., Int. J. Networking and Computing 7 (2017), section 1, is about such grids.
 *     cc examples/parameter_space.c $(pkg-config --cflags --libs eigpack) -lm && ./a.out volume.npy slices.svg
 * volume.npy gets the abscissa at every point, shape (50, 50, 50) = (Kp, Ki, Kd); slices.svg a picture of six slices.
 */
#include <eigpack.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MASSES = 6, N = 15, GAINS = 3, GRID = 50, POINTS = GRID * GRID * GRID };
enum { POSITION = 0, SPEED = MASSES, FORCE = 2 * MASSES, DRIVE, INTEGRAL }; /* where the states begin */

static double a[GAINS + 1][N * N]; /* A0 to A3, column-major */
static double gains[POINTS][GAINS], abscissa[POINTS];
static const double most[GAINS] = {20, 4, 30}; /* the grid runs from 0 to these Kp, Ki, Kd */

static double *entry(int matrix, int row, int column)
{
    return &a[matrix][row + column * N];
}

/* The plant without feedback, and what one unit of each gain adds. */
static void make_model(void)
{
    double const spring = 1, damping = 0.1, lag = 0.1;
    for (int i = 0; i < MASSES; ++i) {
        *entry(0, POSITION + i, SPEED + i) = 1;
        /* Each spring pulls at both its ends; the first hangs on the wall, the last mass is free. */
        for (int end = i; end <= i + 1 && end < MASSES; ++end) {
            *entry(0, SPEED + i, POSITION + i) -= spring;
            *entry(0, SPEED + i, SPEED + i) -= damping;
            int const other = end == i ? i - 1 : i + 1;
            if (other < 0) continue;
            *entry(0, SPEED + i, POSITION + other) += spring;
            *entry(0, SPEED + i, SPEED + other) += damping;
        }
    }
    /* The drive follows u with a lag, and the force follows the drive. */
    *entry(0, SPEED, FORCE) = 1;
    *entry(0, FORCE, FORCE) = -1 / lag;
    *entry(0, FORCE, DRIVE) = 1 / lag;
    *entry(0, DRIVE, DRIVE) = -1 / lag;
    *entry(0, INTEGRAL, POSITION) = 1;
    *entry(1, DRIVE, POSITION) = -1 / lag;
    *entry(2, DRIVE, INTEGRAL) = -1 / lag;
    *entry(3, DRIVE, SPEED) = -1 / lag;
}

static void make_grid(void)
{
    for (int p = 0; p < POINTS; ++p) {
        int const index[GAINS] = {p / (GRID * GRID), p / GRID % GRID, p % GRID};
        for (int k = 0; k < GAINS; ++k) gains[p][k] = most[k] * index[k] / (GRID - 1);
    }
}

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ------------------------------------------------------------------ output */

/* NumPy's format: a magic number, the length of a header padded to 64 bytes, the header, the numbers. */
static int write_volume(const char *path)
{
    enum { HEADER = 118 };
    char header[HEADER + 1];
    FILE *const file = fopen(path, "wb");
    if (!file) return 0;
    int const length = snprintf(header, sizeof header,
                                "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d, %d), }", GRID, GRID, GRID);
    memset(header + length, ' ', HEADER - (size_t)length);
    header[HEADER - 1] = '\n';
    fwrite("\x93NUMPY\x01\x00", 1, 8, file);
    fputc(HEADER % 256, file), fputc(HEADER / 256, file);
    fwrite(header, 1, HEADER, file);
    fwrite(abscissa, sizeof(double), POINTS, file);
    return fclose(file) == 0;
}

/* The picture: six slices of constant Ki, three beside each other; Kp to the right, Kd upwards. */
enum { SLICES = 6, CELL = 4, SIDE = GRID * CELL, LEFT = 70, TOP = 40, STEP_X = SIDE + 24, STEP_Y = SIDE + 40 };
enum { RIGHT = LEFT + 2 * STEP_X + SIDE, BOTTOM = TOP + STEP_Y + SIDE, KEY = RIGHT + 30 };

/* The colour of a point: orange where unstable, else the darker the faster disturbances die out. */
static const struct shade {
    double least;
    const char *colour;
} scale[] = {{0, "#fdd0a2"},     {-0.005, "#cfe1f2"}, {-0.01, "#93c4df"},
             {-0.02, "#4b98ca"}, {-0.03, "#1764ab"},  {-1e300, "#08306b"}};
enum { SHADES = sizeof scale / sizeof *scale };

static const char *colour(double x)
{
    int k = 0;
    while (x < scale[k].least) ++k;
    return scale[k].colour;
}

/* Point (kp, kd) is the middle of a cell.  Neighbours of one colour become one rectangle. */
static void draw_slice(FILE *file, int ki, int left, int top)
{
    fprintf(file, "<text x=\"%d\" y=\"%d\">Ki = %.2f</text>\n<g shape-rendering=\"crispEdges\">\n", left, top - 7,
            most[1] * ki / (GRID - 1));
    for (int kd = 0; kd < GRID; ++kd) {
        for (int kp = 0, end; kp < GRID; kp = end) {
            const char *const fill = colour(abscissa[(kp * GRID + ki) * GRID + kd]);
            for (end = kp + 1; end < GRID && colour(abscissa[(end * GRID + ki) * GRID + kd]) == fill;) ++end;
            fprintf(file, "<path d=\"M%d %dh%dv%dh-%dz\" fill=\"%s\"/>\n", left + kp * CELL,
                    top + (GRID - 1 - kd) * CELL, (end - kp) * CELL, CELL, (end - kp) * CELL, fill);
        }
    }
    fprintf(file, "</g><path d=\"M%d %dh%dv%dh-%dz\" fill=\"none\" stroke=\"#757b84\"/>\n", left, top, SIDE, SIDE,
            SIDE);
}

/* Ticks at every slice, numbers below the lowest row and to the left of the first column alone. */
static void draw_ticks(FILE *file, int left, int top)
{
    double const unit = SIDE - CELL; /* from the middle of the first cell to that of the last */
    for (int i = 0; i <= 2; ++i) {
        double const x = left + CELL / 2 + unit * i / 2;
        fprintf(file, "<path d=\"M%.1f %dv4\" stroke=\"#757b84\"/>\n", x, top + SIDE);
        if (top + SIDE == BOTTOM)
            fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", x, BOTTOM + 18,
                    most[0] * i / 2);
    }
    for (int i = 0; i <= 3; ++i) {
        double const y = top + SIDE - CELL / 2 - unit * i / 3;
        fprintf(file, "<path d=\"M%d %.1fh-4\" stroke=\"#757b84\"/>\n", left, y);
        if (left == LEFT)
            fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT - 8, y + 4.5,
                    most[2] * i / 3);
    }
}

/* The shades, and between each two the number where one becomes the other. */
static void draw_key(FILE *file)
{
    int const high = 40, bottom = TOP + 60 + SHADES * high;
    fprintf(file, "<text x=\"%d\" y=\"%d\">spectral</text><text x=\"%d\" y=\"%d\">abscissa</text>\n", KEY, TOP + 10,
            KEY, TOP + 26);
    fprintf(file, "<text x=\"%d\" y=\"%d\">unstable</text><text x=\"%d\" y=\"%d\">stable</text>\n", KEY, TOP + 54, KEY,
            bottom + 16);
    for (int k = 0; k < SHADES; ++k) {
        int const top = TOP + 60 + k * high;
        fprintf(file, "<path d=\"M%d %dh22v%dh-22z\" fill=\"%s\" stroke=\"#757b84\"/>\n", KEY, top, high,
                scale[k].colour);
        if (k + 1 < SHADES)
            fprintf(file, "<text x=\"%d\" y=\"%.1f\">%s%g</text>\n", KEY + 28, top + high + 4.5,
                    scale[k].least < 0 ? "\xe2\x88\x92" : "" /* a minus sign */,
                    scale[k].least < 0 ? -scale[k].least : scale[k].least);
    }
}

static int write_slices(const char *path)
{
    FILE *const file = fopen(path, "w");
    if (!file) return 0;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#757b84\">\n"
            "<title>Stable gains of a PID controller, in six slices</title>\n",
            KEY + 90, BOTTOM + 52, KEY + 90, BOTTOM + 52);
    for (int s = 0; s < SLICES; ++s) {
        int const ki = 1 + s * (GRID - 2) / (SLICES - 1), left = LEFT + s % 3 * STEP_X, top = TOP + s / 3 * STEP_Y;
        draw_slice(file, ki, left, top);
        draw_ticks(file, left, top);
    }
    draw_key(file);
    fprintf(file, "<text x=\"%d\" y=\"%d\" font-size=\"15\" text-anchor=\"middle\">Kp</text>\n", (LEFT + RIGHT) / 2,
            BOTTOM + 40);
    fprintf(file,
            "<text transform=\"translate(26,%d) rotate(-90)\" font-size=\"15\" text-anchor=\"middle\">Kd</text>\n",
            (TOP + BOTTOM) / 2);
    fprintf(file, "</svg>\n");
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    make_model();
    make_grid();
    eig_context *ctx;
    eig_status status = eig_create(&ctx, "auto");
    double const start = seconds();
    if (status == EIG_OK)
        status = eig_dgeev_affine(ctx, NULL, N, GAINS, a[0], N, N * N, gains[0], GAINS, NULL, 0, EIG_GEEV_ABSCISSA,
                                  abscissa, NULL, POINTS);
    double const stop = seconds();
    if (status != EIG_OK) fprintf(stderr, "%s: %s\n", eig_status_text(status), eig_error_detail(ctx));
    if (status == EIG_OK) {
        int stable = 0, best = 0;
        for (int p = 0; p < POINTS; ++p) {
            stable += abscissa[p] < 0;
            if (abscissa[p] < abscissa[best]) best = p;
        }
        printf("%d matrices of order %d in %.1f ms on %s\n", POINTS, N, 1e3 * (stop - start), eig_describe(ctx));
        printf("%d points are stable; the best, Kp = %.3f, Ki = %.3f, Kd = %.3f, has the abscissa %.4f\n", stable,
               gains[best][0], gains[best][1], gains[best][2], abscissa[best]);
        if ((argc > 1 && !write_volume(argv[1])) || (argc > 2 && !write_slices(argv[2]))) {
            fprintf(stderr, "cannot write %s\n", argc > 2 ? argv[2] : argv[1]);
            status = EIG_BAD_ARGUMENT;
        }
    }
    eig_destroy(ctx);
    return status == EIG_OK ? 0 : 1;
}
