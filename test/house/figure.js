/**
 * What grows easily, and what of it was found.
 *
 * @typedef {{name: string, found: string[], target?: number, variance?: number}} Figure `found` are files, or places with
 *   what is there; `target` is where the figure should end; `variance` is by how much two runs of the same code differ
 */

/** @returns {Figure} */
function figure(name, found, target, variance) {
  return { name, found, ...(target !== undefined && { target }), ...(variance !== undefined && { variance }) };
}

module.exports = { figure };
