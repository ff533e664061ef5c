const { endToEndProject, shared } = require('./projects.js');

/**
 * Not run on MySQL: files about HTTP, tokens, validation, rate limits, model providers and the rendering of replies, in
 * which no statement depends on the kind of database. SQLite and MariaDB run all files.
 */
const independentOfDatabase = [
  'agent-validation',
  'auth-tokens',
  'context-limit',
  'every-body',
  'pipeline',
  'rate-limit',
  'reply-faults',
  'reply-formats',
  'reply-ui-messages',
];

module.exports = {
  ...shared,
  projects: [
    {
      ...endToEndProject('mysql'),
      testPathIgnorePatterns: [`/(${independentOfDatabase.join('|')})\\.e2e-spec\\.ts$`],
    },
  ],
};
