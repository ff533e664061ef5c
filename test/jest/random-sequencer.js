const { createHash } = require('node:crypto');
const { default: Sequencer } = require('@jest/test-sequencer');

/** Runs the files in an order that jest's `--seed` determines. */
module.exports = class RandomSequencer extends Sequencer {
  constructor(options) {
    super(options);
    this.seed = options.globalConfig.seed;
  }

  sort(tests) {
    const place = ({ path, context }) =>
      createHash('sha256').update(`${this.seed} ${context.config.displayName.name} ${path}`).digest('hex');
    return tests
      .map((test) => ({ test, at: place(test) }))
      .sort((one, other) => (one.at < other.at ? -1 : 1))
      .map(({ test }) => test);
  }
};
