const WORSE =
  'grew. Undo what made it grow, or show in the commit why the structure is better with it, and write it down:';
const BETTER = 'shrank. Write it down, so that it stays:';
const COMMAND = 'npm run house -- --keep';

/**
 * Compares the figures with those that are kept.
 *
 * @param {import('./figure.js').Figure[]} figures
 * @param {Record<string, number>} kept by the names of the figures
 * @returns {string[]} a sentence for each that differs
 */
function differences(figures, kept) {
  const now = Object.fromEntries(figures.map(({ name, found }) => [name, found.length]));
  const variances = new Map(figures.map(({ name, variance = 0 }) => [name, variance]));
  const names = [...new Set([...Object.keys(now), ...Object.keys(kept)])];
  return names.flatMap((name) => {
    const [before, after] = [kept[name] ?? 0, now[name] ?? 0];
    if (Math.abs(before - after) <= (variances.get(name) ?? 0)) return [];
    return [`${name}: ${before} -> ${after}, it ${after > before ? WORSE : BETTER} ${COMMAND}`];
  });
}

/** What is kept of the figures; those of which nothing was found need no line. */
function keptOf(figures) {
  const counted = figures.filter(({ found }) => found.length > 0);
  return Object.fromEntries(counted.map(({ name, found }) => [name, found.length]));
}

module.exports = { differences, keptOf };
