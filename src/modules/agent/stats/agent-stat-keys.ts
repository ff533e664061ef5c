/** The day under which the sums of all days are kept. */
export const ALL_DAYS = 0;

/** The bucket of counts that have no time to a first token. */
export const NO_LATENCY = -1;
