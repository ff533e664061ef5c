const { median } = require('./numbers.js');

/**
 * A line of the table.
 *
 * @typedef {object} Row
 * @property {string} figure
 * @property {string} unit
 * @property {number[]} service one value for each round
 * @property {number[]} [reference] the same of what it is compared with
 * @property {number} [most] the highest ratio that is wanted
 * @property {number} [limit] the highest value that is wanted
 * @property {number} [least] the lowest value that is wanted
 */

/** @param {Row[]} rows @returns {string} with medians, and the range of the rounds in brackets */
function renderTable(rows) {
  const lines = rows.map((row) => [row.figure, values(row, row.service), values(row, row.reference), ...verdict(row)]);
  const all = [['', 'service', 'reference', 'ratio', 'target'], ...lines];
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

module.exports = { renderTable };
