/**
 * What MySQL can answer otherwise than MariaDB, or its optimizer do otherwise: statements that are written by hand, locks,
 * claims and deadlocks, times, migrations, plans. The rest of the files ask in the same words of the same ORM. Of several
 * files that show the same statements and locks, the cheapest is here.
 */
const differsOnMysql = [
  'account-status',
  'admin-audit-search',
  'admin-lists',
  'admin-overview',
  'admin-usage-filters',
  'admin-user-list',
  'agent-concurrency',
  'agent-statistics',
  'auth-guessing',
  'auth-refresh',
  'auth-registration',
  'budget-admission',
  'chat-history',
  'chat-lists',
  'chats',
  'exchange-turns',
  'feedback-plan',
  'groups',
  'keyset-batches',
  'lines-migration',
  'message-files-erasure',
  'migration-cuts',
  'openai-conversations',
  'quota',
  'release-upgrade',
  'reply-recovery',
  'reply-storing',
  'schema',
  'scim-users',
  'search-erasure',
  'search-index',
  'statements',
  'statements-together',
  'text-search',
  'unit-of-work',
  'usage-folding',
  'usage-statistics',
  'user-area-closing',
  'webhook-delivery',
  'webhook-instances',
  'webhook-schedule',
];

/**
 * What another release of Node does otherwise: streams, sockets, files, threads, contexts of promises, cryptography, times
 * and languages, the packages that load native code, start and end of the process. What a release lacks, the compiler finds.
 * Of several files that show the same of it, the cheapest is here. `*` stands for all names of a folder, `**` for all folders
 * below one.
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

module.exports = { differsOnMysql, differsOnNode };
