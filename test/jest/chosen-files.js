/** Of the test files that jest found, those whose absolute paths, one a line, are in `TEST_FILES` (see jest's `--filter`). */
const chosen = new Set((process.env.TEST_FILES ?? '').split('\n'));

module.exports = (found) => ({ filtered: found.filter((file) => chosen.has(file)) });
