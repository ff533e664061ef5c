const { endToEndProject, shared } = require('./projects.js');

/**
 * Not run on MySQL: files about HTTP, tokens, validation, rate limits, model providers and the rendering of replies, in
 * which no statement depends on the kind of database. SQLite and MariaDB run all files.
 */
const independentOfDatabase = [
  'agent-validation',
  'api-documents',
  'auth-input',
  'auth-token',
  'auth-tokens',
  'context-limit',
  'error-examples',
  'every-body',
  'mass-assignment',
  'measurement-queries',
  'metrics',
  'pages',
  'pipeline',
  'pipeline-limits',
  'provider-refusals',
  'provider-trials',
  'rate-limit',
  'reply-faults',
  'reply-formats',
  'reply-leaving',
  'reply-stream',
  'reply-thinking',
  'reply-ui-messages',
  'reply-use-chat',
  'request-bodies',
  'webhook-retry-after',
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
