/* primitives/copy.cuh for the emulation, in which a copy comes as late, or as early, as it may. */
#ifndef EIG_COPY_CUH
#define EIG_COPY_CUH

static inline void copy_16(void *to, const void *from)
{
    emulate_send_copy(to, from, 16);
}

template <typename number> static inline void copy_number(number *to, const number *from)
{
    static_assert(sizeof *to == 4 || sizeof *to == 8 || sizeof *to == 16, "cp.async takes no other size");
    emulate_send_copy(to, from, sizeof *to);
}

template <typename number> static inline void copy_number_or_zero(number *to, const number *from, bool there)
{
    emulate_send_copy(to, there ? from : NULL, sizeof *to);
}

static inline void copy_end()
{
    emulate_end_copies();
}

template <int left> static inline void copy_wait()
{
    emulate_wait_copies(left);
}

#endif
