/** The test files found by jest whose absolute paths are in `TEST_FILES`, one on each line (see jest's `--filter`). */
const chosen = new Set((process.env.TEST_FILES ?? '').split('\n'));

module.exports = (found) => ({ filtered: found.filter((file) => chosen.has(file)) });
