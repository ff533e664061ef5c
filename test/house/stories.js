const { CallWalk } = require('./call-walk.js');
const { atMost } = require('./figure.js');

/** Of the ports whose implementation the settings choose, a reader reads one. */
const ONE_PROVIDER = { LanguageModelProvider: 'OpenAiCompatibleProvider' };

/** How else than with a key somebody may call. */
const ONLY_KEYS = { TicketIdentity: null, ProviderTokenIdentity: null };

/** Where each story begins, and how many files of features it may reach. */
const STORIES = [
  { name: 'send a message', entries: ['MessageController.send'], adapters: ONE_PROVIDER, most: 60 },
  { name: 'OpenAI completion', entries: ['CompletionController.complete'], adapters: ONE_PROVIDER, most: 60 },
  { name: 'refresh a token', entries: ['AuthController.refresh'], most: 9 },
  // A request with a key has no ticket, and the guard asks nobody further once a text begins as keys do: no provider's token.
  { name: 'check an API key', entries: ['IdentityGuard.canActivate'], adapters: ONLY_KEYS, most: 7 },
  { name: 'deliver a webhook', entries: ['WebhookOutbox.record', 'WebhookWorker.step'], most: 20 },
];

/**
 * Files of features (`src/modules`, `src/integrations`) that a story reaches; `CallWalk` says what counts. Those below the
 * features (`common`, `database`, `config`) are only told, because every story uses them.
 */
function storyFigures(source) {
  const walk = new CallWalk(source);
  return STORIES.map(({ name, entries, adapters, most }) => {
    const files = walk.filesFrom(entries, adapters).map(source.pathOf).sort();
    const features = files.filter((file) => /^src\/(modules|integrations)\//.test(file));
    return { ...atMost(`files to ${name} (base: ${files.length - features.length})`, features, most), found: files };
  });
}

module.exports = { storyFigures };
