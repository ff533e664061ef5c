/** @param {number[]} values @returns {number} */
function median(values) {
  const sorted = values.toSorted((first, second) => first - second);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The value below which this share (0 to 1) of the values lies.
 *
 * @returns {number}
 */
function percentile(values, share) {
  const sorted = values.toSorted((first, second) => first - second);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** Microseconds of the machine's monotonic clock, which all processes share. */
function microseconds() {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + nanoseconds / 1e3;
}

module.exports = { median, microseconds, percentile };
