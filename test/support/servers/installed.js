const { accessSync, constants } = require('node:fs');
const path = require('node:path');

/** Folders that hold servers but are often missing from an ordinary user's PATH. */
const serverFolders = ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'];

/**
 * Finds a program by name.
 *
 * @param {string} program file name, such as `mariadbd`
 * @returns {string | undefined} its full path, or undefined if it is not installed
 */
function findProgram(program) {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), ...serverFolders];
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => path.join(folder, program))
    .find((candidate) => {
      try {
        accessSync(candidate, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/**
 * Whether a program is installed.
 *
 * @param {string} program file name
 * @returns {boolean}
 */
function isInstalled(program) {
  return findProgram(program) !== undefined;
}

module.exports = { findProgram, isInstalled };
