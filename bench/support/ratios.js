/** Student's two-sided 95 % quantile for 0 to 3 degrees of freedom, where the expansion is too small. */
const FEW_DEGREES = [Infinity, 12.706, 4.303, 3.182];

/** The 97.5 % quantile of the normal distribution. */
const NORMAL = 1.959964;

/**
 * The ratio of two builds from paired values, with Student's 95 % interval of the logarithms. A single pair has no
 * interval.
 *
 * @param {[number, number][]} pairs values of the current and the earlier build, one pair for each round
 * @returns {{ ratio: number, low: number, high: number }}
 */
function ratioOf(pairs) {
  const logarithms = pairs.map(([now, earlier]) => Math.log(now / earlier));
  const center = mean(logarithms);
  const freedom = pairs.length - 1;
  const variance = mean(logarithms.map((value) => (value - center) ** 2));
  const margin = freedom === 0 ? Infinity : studentQuantile(freedom) * Math.sqrt(variance / freedom);
  return { ratio: Math.exp(center), low: Math.exp(center - margin), high: Math.exp(center + margin) };
}

/**
 * Half the width of the interval, as a share of the ratio.
 *
 * @returns {number}
 */
function marginOf({ ratio, high }) {
  return high / ratio - 1;
}

/** From 4 degrees of freedom, the Cornish-Fisher expansion is accurate to 0.3 %. */
function studentQuantile(freedom) {
  const z = NORMAL;
  return (
    FEW_DEGREES[freedom] ??
    z +
      (z ** 3 + z) / (4 * freedom) +
      (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2) +
      (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * freedom ** 3)
  );
}

function mean(values) {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

module.exports = { marginOf, ratioOf };
