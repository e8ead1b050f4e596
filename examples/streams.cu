/* heev on device arrays, with CUDA streams, lent workspaces and CUDA graphs, by eigpack.hpp: how much of the energies of an
 * electron in a quasiperiodic potential are allowed, for many strengths of the potential.
 *
 * On a chain with the potential 2 s cos(2 pi alpha j) they have the measure 4 |1 - s|: at s = 1 the electron changes from
 * running freely to being caught (Aubry and Andre).  Here alpha is 13/21, so that the energies are 21 bands, the eigenvalues of
 * 21 x 21 Hermitian matrices for all Bloch phases.
 *
 * A lane is a stream with a context, its own memory, and one graph: fill the matrices, solve them, find the bands' edges.  Two
 * lanes take turns, and nothing is allocated or captured again.
 *     nvcc -std=c++17 examples/streams.cu $(pkg-config --cflags eigpack) -L$(pkg-config --variable=libdir eigpack) -leigpack
 * Any argument makes the grid of phases small. */
#include <eigpack.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

using complex = std::complex<double>;

enum { N = 21, P = 13, LANES = 2, STRENGTHS = 32, THREADS = 256 };

static void check(cudaError_t status)
{
    if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/* Element (i, j) of matrix b = s + t*grid, for phases along and across the chain. */
__global__ void fill(double2 *a, const double *strength, int grid)
{
    std::int64_t const k = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x;
    if (k >= std::int64_t(N) * N * grid * grid) return;
    int const i = int(k % N), j = int(k / N % N), b = int(k / (N * N));
    double2 x = {0, 0};
    if (i == j) x.x = 2 * *strength * cospi(2.0 * (P * j % N) / N + double(b / grid) / (grid - 1) / N);
    if (i == j + 1) x.x = 1;
    if (i == N - 1 && j == 0) sincospi(double(b % grid) / (grid - 1), &x.y, &x.x);
    a[k] = x; /* the upper triangle is not read */
}

/* Block k: the least and the largest of eigenvalue k of all matrices; NaN where a matrix failed. */
__global__ void find_edges(const double *w, const int *info, int matrices, double2 *edges)
{
    __shared__ double low[THREADS], high[THREADS];
    int const t = threadIdx.x;
    low[t] = INFINITY, high[t] = -INFINITY;
    for (int b = t; b < matrices; b += THREADS) {
        double const x = info[b] == 0 ? w[blockIdx.x + std::int64_t(N) * b] : NAN;
        low[t] = x < low[t] || isnan(x) ? x : low[t];
        high[t] = x > high[t] || isnan(x) ? x : high[t];
    }
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            low[t] = low[t + half] < low[t] || isnan(low[t + half]) ? low[t + half] : low[t];
            high[t] = high[t + half] > high[t] || isnan(high[t + half]) ? high[t + half] : high[t];
        }
    }
    if (t == 0) edges[blockIdx.x] = {low[0], high[0]};
}

/* Memory of the device, or of the host where the device's copies need no staging. */
template <class T> class memory
{
  public:
    explicit memory(std::size_t count, bool host = false) : count_(count), host_(host)
    {
        void *p = nullptr;
        check(host ? cudaMallocHost(&p, count * sizeof(T)) : cudaMalloc(&p, count * sizeof(T)));
        p_ = static_cast<T *>(p);
    }
    memory(const memory &) = delete;
    ~memory()
    {
        host_ ? cudaFreeHost(p_) : cudaFree(p_);
    }
    T *data() const
    {
        return p_;
    } /* data and size: all that a view asks for */
    std::size_t size() const
    {
        return count_;
    }
    std::size_t bytes() const
    {
        return count_ * sizeof(T);
    }

  private:
    T *p_;
    std::size_t count_;
    bool host_;
};

class stream
{
  public:
    stream()
    {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
    stream(const stream &) = delete;
    ~stream()
    {
        cudaStreamDestroy(stream_);
    }
    operator cudaStream_t() const
    {
        return stream_;
    }

  private:
    cudaStream_t stream_;
};

/* What the context uses outlives it: it comes last. */
class lane
{
  public:
    lane(int grid, std::size_t work_bytes)
        : matrices_(grid * grid), a_(std::size_t(N) * N * matrices_), w_(std::size_t(N) * matrices_), info_(matrices_),
          edges_(N), strength_(1), work_(work_bytes), host_edges_(N, true), host_strength_(1, true), ctx_("cuda")
    {
        ctx_.set_stream(stream_);
        ctx_.set_workspace(work_.data(), work_.size());
        cudaGraph_t graph;
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
        check(cudaMemcpyAsync(strength_.data(), host_strength_.data(), sizeof(double), cudaMemcpyDefault, stream_));
        fill<<<unsigned((a_.size() + THREADS - 1) / THREADS), THREADS, 0, stream_>>>(
            reinterpret_cast<double2 *>(a_.data()), strength_.data(), grid);
        ctx_.heev_batched({}, N, a_, N, N * N, {}, w_, N, {}, 0, 0, info_, {}, matrices_);
        find_edges<<<N, THREADS, 0, stream_>>>(w_.data(), info_.data(), matrices_, edges_.data());
        check(cudaMemcpyAsync(host_edges_.data(), edges_.data(), edges_.bytes(), cudaMemcpyDefault, stream_));
        check(cudaStreamEndCapture(stream_, &graph));
        check(cudaGraphInstantiate(&run_, graph, 0));
        check(cudaGraphDestroy(graph));
    }
    ~lane()
    {
        cudaStreamSynchronize(stream_);
        cudaGraphExecDestroy(run_);
    }

    void start(double strength)
    {
        *host_strength_.data() = strength;
        check(cudaGraphLaunch(run_, stream_));
    }

    /* The sum of the bands' widths. */
    double wait()
    {
        check(cudaStreamSynchronize(stream_));
        double sum = 0;
        for (int k = 0; k < N; ++k) sum += host_edges_.data()[k].y - host_edges_.data()[k].x;
        return sum;
    }

  private:
    int matrices_;
    stream stream_;
    memory<complex> a_;
    memory<double> w_;
    memory<int> info_;
    memory<double2> edges_;
    memory<double> strength_;
    memory<unsigned char> work_;
    memory<double2> host_edges_;
    memory<double> host_strength_;
    cudaGraphExec_t run_ = nullptr;
    eigpack::context ctx_;
};

static double strength_of(int k)
{
    return 2.0 * (k + 1) / STRENGTHS;
}

static int run(int grid)
{
    std::size_t bytes;
    eigpack::context("cuda").heev_work_size(eigpack::type<complex>, {}, N, false, grid * grid, &bytes);
    lane lanes[LANES] = {{grid, bytes}, {grid, bytes}};
    double measure[STRENGTHS];
    for (int k = 0; k < STRENGTHS + LANES; ++k) {
        if (k >= LANES) measure[k - LANES] = lanes[k % LANES].wait();
        if (k < STRENGTHS) lanes[k % LANES].start(strength_of(k));
    }
    bool good = true;
    for (int k = 0; k < STRENGTHS; ++k) {
        double const s = strength_of(k), endless = 4 * std::fabs(1 - s);
        std::printf("strength %.4f: bands %.6f, of an endless quasiperiod %.6f\n", s, measure[k], endless);
        if (std::fabs(s - 1) >= 0.5) good = good && std::fabs(measure[k] - endless) < 1e-2;
    }
    std::printf("%d graphs of %d matrices %d x %d%s\n", STRENGTHS, grid * grid, N, N, good ? "" : ": WRONG");
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    (void)argv;
    try {
        return run(argc > 1 ? 5 : 65);
    } catch (const eigpack::error &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return error.status() == EIG_NO_BACKEND ? 77 : 1; /* no GPU */
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
