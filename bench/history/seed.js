const Libsql = require('libsql');
const { createConnection } = require('mysql2/promise');

const DAY_MILLISECONDS = 86_400_000;
/**
 * The messages are spread evenly over this many days until today, so all users have the same number of roll-up rows.
 */
const DAYS = 100;
const TOKENS = 40;
/** Rows per statement: enough to be fast, but few enough for the default redo log. */
const ROWS_AT_ONCE = 200_000;

const SENTENCE =
  "'Some words that somebody wrote, about as long as a message in a conversation usually is, and a few more.'";

/**
 * Inserts the history of one user as the service would store it: conversations, messages (alternating questions and
 * replies), ledger, daily roll-up and running counters.
 *
 * @param {{ run: (sql: string) => Promise<void> }} database
 * @param {{ userId: number, agentId: number, chats: number, messagesPerChat: number, firstId: number, content?: string
 * }} history ids from `firstId` on must be free in both tables; the content is SQL, with `i` for the number of the
 * message
 */
async function seedHistory(database, { userId, agentId, chats, messagesPerChat, firstId, content = SENTENCE }) {
  const messages = chats * messagesPerChat;
  const today = Math.floor(Date.now() / DAY_MILLISECONDS);
  const time = (day) => `'${new Date(day * DAY_MILLISECONDS).toISOString().slice(0, 19).replace('T', ' ')}.000'`;
  const now = time(today);
  for (let start = 0; start < chats; start += ROWS_AT_ONCE) {
    await database.run(`
      INSERT INTO chats (id, user_id, agent_id, title, has_placeholder_title, is_pinned, is_archived, tags,
        message_count, last_message_at, created_at, updated_at)
      SELECT ${firstId} + i, ${userId}, ${agentId}, 'A conversation', 0, 0, 0, '[]', ${messagesPerChat}, ${now}, ${now}, ${now}
      FROM ${numbers(start, Math.min(chats, start + ROWS_AT_ONCE))}`);
  }
  await database.run(`DELETE FROM chat_counts WHERE user_id = ${userId}`);
  await database.run(`INSERT INTO chat_counts (user_id, total, archived) VALUES (${userId}, ${chats}, 0)`);
  for (let start = 0; start < messages; start += ROWS_AT_ONCE) {
    const rows = numbers(start, Math.min(messages, start + ROWS_AT_ONCE));
    await database.run(`
      INSERT INTO chat_messages (id, chat_id, position, role, status, is_current, token_count, created_at, updated_at,
        content)
      SELECT ${firstId} + i, ${firstId} + ${floorOf(`i / ${messagesPerChat}`)}, i % ${messagesPerChat} - i % 2,
        CASE WHEN i % 2 = 0 THEN 'user' ELSE 'assistant' END, 'completed', 1, ${TOKENS}, ${now}, ${now},
        ${content}
      FROM ${rows}`);
    await database.run(`
      INSERT INTO usage_entries (message_id, user_id, chat_id, agent_id, role, prompt_tokens, completion_tokens, tokens,
        day, created_at)
      SELECT ${firstId} + i, ${userId}, ${firstId} + ${floorOf(`i / ${messagesPerChat}`)}, ${agentId},
        CASE WHEN i % 2 = 0 THEN 'user' ELSE 'assistant' END, 0, ${TOKENS}, ${TOKENS}, ${today} - i % ${DAYS}, ${now}
      FROM ${rows}`);
  }
  const daily = messages / DAYS;
  await database.run(`
    INSERT INTO usage_rollups (day, user_id, agent_id, model, chats, messages, user_messages, completion_tokens, tokens)
    SELECT ${today} - i, ${userId}, ${agentId}, 'bench', 0, ${daily}, ${daily / 2}, ${daily * TOKENS}, ${daily * TOKENS}
    FROM ${numbers(0, DAYS)}`);
  await database.run(`DELETE FROM usage_accounts WHERE user_id = ${userId}`);
  await database.run(`
    INSERT INTO usage_accounts (user_id, total_chats, total_messages, total_tokens, day, day_messages, day_tokens)
    VALUES (${userId}, ${chats}, ${messages}, ${messages * TOKENS}, ${today}, ${daily}, ${daily * TOKENS})`);
}

/**
 * A table with the whole numbers from `start` up to, but excluding, `end` in column `i`. Recursion is limited to a
 * depth of one thousand.
 */
function numbers(start, end) {
  const digits = (name) =>
    `(WITH RECURSIVE n(d) AS (SELECT 0 UNION ALL SELECT d + 1 FROM n WHERE d < 999) SELECT d FROM n) ${name}`;
  return `(SELECT i FROM (SELECT ${start} + high.d * 1000 + low.d AS i FROM ${digits('high')} CROSS JOIN ${digits('low')}) every
    WHERE i < ${end}) numbers`;
}

function floorOf(expression) {
  return `CAST(FLOOR(${expression}) AS INTEGER)`;
}

/** @param {Service} service with a stopped process */
async function openForSeeding(service) {
  if (service.mariadb) {
    const connection = await createConnection(service.mariadb.url);
    return { run: (sql) => connection.query(sql.replaceAll('AS INTEGER', 'AS SIGNED')), close: () => connection.end() };
  }
  const database = new Libsql(service.databaseFile);
  return { run: (sql) => Promise.resolve(database.exec(sql)), close: () => Promise.resolve(database.close()) };
}

/** Updates the engine's statistics, which it would otherwise do at some later time. */
async function analyse(database, service) {
  const tables = ['chats', 'chat_counts', 'chat_messages', 'usage_rollups', 'usage_entries', 'usage_accounts'];
  await database.run(
    service.mariadb ? `ANALYZE TABLE ${tables.join(', ')}` : 'ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)',
  );
}

module.exports = { analyse, openForSeeding, seedHistory };
