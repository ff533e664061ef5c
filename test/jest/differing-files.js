/**
 * Features that differ between Node releases: streams, sockets, files, threads, async contexts, cryptography, times and
 * languages, packages with native code, start and exit of the process. The compiler finds missing APIs. If several
 * files cover the same feature, the cheapest is here. `*` matches all names in a folder, `**` all folders below one.
 */
const differsOnNode = {
  src: ['{process,config}/*'],
  'src/common': ['{http,i18n,network,security,text}/**/*', 'redis/redis-channels', 'time', 'time-limit'],
  'src/database': ['{connection,mysql,sqlite}/*'],
  'src/integrations': ['{llm/adapters,mail,outbound-http}/*'],
  'src/modules': [
    'budget/windows/calendar-window',
    'generation/prompt/compaction/compaction-seal',
    'user/passwords/password.service',
    'webhook/endpoint/secret-cipher',
  ],
  'test/e2e': [
    'auth-tokens',
    'console-files',
    'openai-client',
    'openai-completions',
    'pipeline',
    'promise-hooks',
    'reply-leaving',
    'reply-stream',
    'request-bodies',
    'shutdown',
    'text-search',
    'unit-of-work',
  ],
  'test/contract': [
    'blob-store.contract',
    'database-connections',
    'llm-network-adapter',
    'llm-network-faults',
    'llm-recorded-streams',
    'mail-transport.contract',
    'start',
    'stop',
    'throttler-store.contract',
  ],
  'client/test': ['package.spec', 'replies.e2e-spec', 'retry.spec'],
};

module.exports = { differsOnNode };
