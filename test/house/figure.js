/**
 * One line of the table.
 *
 * @typedef {{name: string, now: number | string, goal: string, isReached: boolean, found: string[]}} Figure `found` is what
 *   was counted: files, or places with what stands there
 */

/**
 * @param {string} name
 * @param {string[]} found what counts
 * @param {number} most
 * @returns {Figure}
 */
function atMost(name, found, most) {
  return { name, now: found.length, goal: `<= ${most}`, isReached: found.length <= most, found };
}

/** A figure of something that is not there. @returns {Figure} */
function missing(name, goal, isReached = false) {
  return { name, now: 'missing', goal, isReached, found: [] };
}

module.exports = { atMost, missing };
