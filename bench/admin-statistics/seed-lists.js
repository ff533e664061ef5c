const ACTIONS = ['user.update', 'agent.update', 'settings.update', 'chat.read', 'user.ban'];
const KEYS = 1_000;
const LATENCY_CLASSES = 28;

/**
 * Inserts data for the other administrator lists: an audit log entry and a webhook delivery for every fifth message, a
 * thousand API keys with daily usage, and the agents' times to the first token.
 *
 * @param {{ run: (sql: string) => Promise<void> }} database
 * @param {{ messages: number, users: number, days: number, ownerId: number }} size `ownerId`: owner of the webhook
 * @param {object} sql SQL fragments of this engine: see `seed.js`
 */
async function seedLists(database, { messages, users, days, ownerId }, { insert, now, today, text, at }) {
  const entries = messages / 5;
  const action = ACTIONS.map((name, index) => `WHEN ${index} THEN '${name}'`).join(' ');
  await insert(
    entries,
    `INSERT INTO audit_logs (id, actor_id, address, user_agent, request_id, action, target_type, target_id, subject_id, created_at)
     SELECT 1 + i, 1000 + i % 10, '203.0.113.7', 'Mozilla/5.0', ${text('request')}, CASE i % 5 ${action} END, 'user',
       ${text('')}, 1000 + i % ${users}, ${at(entries)}`,
  );
  await database.run(
    `INSERT INTO webhook_endpoints (id, user_id, slot, url, description, events, scope, include_content, is_active, active_since,
       secret, previous_secrets, failure_count, created_at, updated_at)
     VALUES (1, ${ownerId}, 1, 'https://receiver.example/', '', '["*"]', 'all', 0, 1, ${now}, '', '[]', 0, ${now}, ${now})`,
  );
  await insert(
    entries,
    `INSERT INTO webhook_events (id, public_id, type, user_id, data, occurred_at, dispatched_at)
     SELECT 1 + i, ${text('evt_')}, 'message.completed', 1000 + i % ${users}, '{}', ${now}, ${now}`,
  );
  await insert(
    entries,
    `INSERT INTO webhook_deliveries (id, endpoint_id, event_id, event_type, status, attempt_count, retry_step, is_requested,
       completed_at, created_at)
     SELECT 1 + i, 1, 1 + i, 'message.completed', CASE WHEN i % 100 = 0 THEN 'failed' ELSE 'succeeded' END, 1, 0, 0, ${now},
       ${at(entries)}`,
  );
  await insert(
    KEYS,
    `INSERT INTO api_keys (id, user_id, name, secret_hash, prefix, last_four, scopes, created_by, created_at, last_used_at)
     SELECT 1 + i, 1000 + i % ${users}, ${text('key ')}, ${text('hash')}, 'ck_abcdefgh', 'wxyz', '["openai"]', 1000 + i % ${users},
       ${at(KEYS)}, ${now}`,
  );
  const key = `CAST(FLOOR(i / ${days}) AS INTEGER)`;
  await insert(
    KEYS * days,
    `INSERT INTO usage_key_days (day, user_id, api_key_id, messages, tokens)
     SELECT ${today} - i % ${days}, 1000 + ${key} % ${users}, 1 + ${key}, 2, 40`,
  );
  await insert(
    days * 5 * LATENCY_CLASSES,
    `INSERT INTO agent_stats (agent_id, day, bucket, shard, messages, tokens, replies)
     SELECT 1 + i % 5, ${today} - CAST(FLOOR(i / ${5 * LATENCY_CLASSES}) AS INTEGER),
       CAST(FLOOR(i / 5) AS INTEGER) % ${LATENCY_CLASSES}, 0, 2, 40, 1`,
  );
}

module.exports = { seedLists };
