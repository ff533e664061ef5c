/** The day under which the sums of all days are stored. */
export const ALL_DAYS = 0;

/** The bucket of counts without a time to a first token. */
export const NO_LATENCY = -1;
