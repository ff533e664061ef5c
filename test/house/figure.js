/**
 * What grows easily, and what of it was found.
 *
 * @typedef {{name: string, found: string[], target?: number}} Figure `found` are files, or places with what is there; `target`
 *   is where the figure should end
 */

/** @returns {Figure} */
function figure(name, found, target) {
  return { name, found, ...(target !== undefined && { target }) };
}

module.exports = { figure };
