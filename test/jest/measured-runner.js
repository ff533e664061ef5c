const runTestFile = require('jest-circus/runner').default;
const { processorSecondsOfAll } = require('./process-time.js');

/**
 * Jest's runner of one test file. The result also contains the cost of the file: `processorSeconds`, and how often it
 * started the service (see `countServiceStart`).
 */
module.exports = function runMeasured(...parameters) {
  const before = processorSecondsOfAll();
  globalThis.serviceStarts = 0;
  // An `await` would add a line to the stack of each failure.
  return runTestFile(...parameters).then((result) =>
    Object.assign(result, {
      processorSeconds: processorSecondsOfAll() - before,
      serviceStarts: globalThis.serviceStarts,
    }),
  );
};
