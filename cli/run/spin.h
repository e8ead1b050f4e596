/* What libgomp reads in the environment: how long threads that wait for work spin before they sleep, and how many there
 * are. */
#ifndef EIG_CLI_SPIN_H
#define EIG_CLI_SPIN_H

/* libgomp's threads spin for 7 to 15 ms after each parallel region, which slows other programs on busy cores. libgomp
 * reads the time from its environment when it is loaded, and nothing changes it later.  So the program starts itself
 * once more with GOMP_SPINCOUNT set.  A user's own GOMP_SPINCOUNT or OMP_WAIT_POLICY stays.  If starting again fails,
 * the program goes on as it is. */
void spin_briefly(char **argv);

/* The value of OMP_NUM_THREADS, if it is neither a number of threads nor a list of such numbers; else NULL. libgomp
 * would complain itself when it is loaded, before main.  So the variable is removed from the environment before that. */
const char *spin_bad_threads(void);

#endif
