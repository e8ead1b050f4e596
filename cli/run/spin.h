/* What libgomp reads in the environment: how long threads that wait for work spin before they sleep, and how many there
 * are. */
#ifndef EIG_CLI_SPIN_H
#define EIG_CLI_SPIN_H

/* libgomp's threads spin for 7 to 15 ms after each parallel region, in the way of other programs where these keep the
 * cores busy.  It reads how long from its environment when it is loaded, and nothing changes that later: the program
 * starts itself once more with GOMP_SPINCOUNT set.  What the user has set by that name or by OMP_WAIT_POLICY stays.
 * Where starting again fails, the program goes on as it is. */
void spin_briefly(char **argv);

/* What OMP_NUM_THREADS said, where that is no number of threads, nor a list of them; else NULL.  libgomp would print a
 * complaint of its own when it is loaded, before main; the variable is taken out of the environment before that. */
const char *spin_bad_threads(void);

#endif
