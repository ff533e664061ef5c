const { median } = require('./numbers.js');
const { ratioOf } = require('./ratios.js');

/**
 * A row of the table.
 *
 * @typedef {object} Row
 * @property {string} figure
 * @property {string} unit
 * @property {number[]} service one value for each round
 * @property {number[]} [reference] the same for the reference
 * @property {number} [most] target: maximum ratio
 * @property {number} [limit] target: maximum value
 * @property {number} [least] target: minimum value
 */

/** @param {Row[]} rows @returns {string} with medians, and the range of the rounds in brackets */
function renderTable(rows) {
  const lines = rows.map((row) => [row.figure, values(row, row.service), values(row, row.reference), ...verdict(row)]);
  return aligned([['', 'service', 'reference', 'ratio', 'target'], ...lines]);
}

/**
 * @param {{ figure: string, unit: string, pairs: [number, number][], missing?: string }[]} rows values of the current
 * and the earlier build; `missing`: why there are no values
 * @param {string} earlier name of the earlier build
 * @returns {string} with medians, the ratio, its 95 % interval, and whether the difference is significant
 */
function renderRatios(rows, earlier) {
  const lines = rows.map(({ figure, unit, pairs, missing }) => {
    if (missing) {
      return [figure, '–', '–', '–', '–', missing, '0'];
    }
    const { ratio, low, high } = ratioOf(pairs);
    const value = (which) => `${short(median(pairs.map((pair) => pair[which])))} ${unit}`.trimEnd();
    const difference = low > 1 ? 'MORE' : high < 1 ? 'less' : '–';
    return [
      figure,
      value(0),
      value(1),
      ratio.toFixed(3),
      pairs.length > 1 ? `${low.toFixed(3)}–${high.toFixed(3)}` : '–',
      difference,
      String(pairs.length),
    ];
  });
  return aligned([['', 'now', earlier, 'ratio', '95 % interval', 'difference', 'rounds'], ...lines]);
}

function aligned(all) {
  const widths = all[0].map((_, column) => Math.max(...all.map((line) => line[column].length)));
  return all
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function values({ unit }, rounds) {
  if (rounds === undefined) {
    return '–';
  }
  const range = rounds.length > 1 ? ` (${short(Math.min(...rounds))}–${short(Math.max(...rounds))})` : '';
  return `${short(median(rounds))}${range} ${unit}`.trimEnd();
}

/** @returns {[string, string]} the ratio, and the target with whether it is met */
function verdict({ service, reference, most, limit, least }) {
  const value = median(service);
  const ratio = reference && value / median(reference);
  const bounds = [
    [most, `≤ ${most} times`, ratio <= most],
    [limit, `≤ ${limit}`, value <= limit],
    [least, `≥ ${least}`, value >= least],
  ].filter(([bound]) => bound !== undefined);
  const targets = bounds.map(([, text, isMet]) => `${text}: ${isMet ? 'met' : 'MISSED'}`);
  return [ratio === undefined ? '–' : ratio.toFixed(2), targets.join(', ') || '–'];
}

function short(value) {
  return Number.isInteger(value) || value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}

module.exports = { renderRatios, renderTable };
