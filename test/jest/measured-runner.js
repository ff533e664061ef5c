const runTestFile = require('jest-circus/runner').default;
const { processorSecondsOfAll } = require('./process-time.js');

/**
 * Jest's runner of one test file. The result also says what the file cost: `processorSeconds`, and how often it started
 * the service (see `countServiceStart`).
 */
module.exports = async function runMeasured(...parameters) {
  const before = processorSecondsOfAll();
  globalThis.serviceStarts = 0;
  const result = await runTestFile(...parameters);
  return Object.assign(result, {
    processorSeconds: processorSecondsOfAll() - before,
    serviceStarts: globalThis.serviceStarts,
  });
};
