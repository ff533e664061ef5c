import landed from './landed.json';

/**
 * The rows of a database, by table: columns as the release stored them in SQLite; absent columns are NULL or the
 * default.
 */
export type Rows = Record<string, Record<string, string | number | undefined>[]>;

/** A version of the service whose databases every later one upgrades. */
export interface Release {
  name: string;
  /** Its newest migration. */
  lastMigration: string;
  /** The content of its databases: each table has at least one row. */
  rows: Rows;
  /** Columns such as `agents.model_params` whose content a later migration changes on purpose. */
  rewritten?: string[];
}

const addedIn1_0: Rows = {
  model_providers: [
    {
      id: 1,
      name: 'ollama',
      name_key: 'ollama',
      kind: 'openai-compatible',
      base_url: 'http://127.0.0.1:11434/v1',
      model: 'llama3.2',
      context_tokens: 8192,
      is_active: 1,
      created_at: '2026-11-20 10:00:00.000',
      updated_at: '2026-11-20 10:00:00.000',
    },
  ],
  model_facts: [
    {
      id: 1,
      provider: 'ollama',
      endpoint: '0123456789abcdef0123456789abcdef',
      model: 'llama3.2',
      parameter: 'seed',
      adjustment: '{"leaveOut":true}',
      learned_at: '2026-11-20 10:00:00.000',
    },
  ],
  chat_used_tickets: [{ id: '0b0f0b0e-7a52-4a63-9c3c-0d5b3f8f2a11', expires_at: '2026-11-20 10:01:00.000' }],
};

/**
 * All releases, the oldest first. A new one adds a line, rows for its tables that the previous one did not have (`rows:
 * { ...landed, new_table: [...] }`), and its migrations to `released-migrations.sha256`.
 */
export const RELEASES: Release[] = [
  {
    name: 'landed',
    lastMigration: 'Administration1700000000700',
    rows: landed,
    rewritten: ['chat_messages.parent_id'],
  },
  { name: '1.0.0', lastMigration: 'ErasedLedger1700000001110', rows: { ...landed, ...addedIn1_0 } },
];
