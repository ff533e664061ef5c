const { openStore } = require('./open-store.js');
const { schemaOf } = require('./schema.js');
const { CHAT_COLUMNS, insertInto } = require('./statements.js');

const YEAR_MILLISECONDS = 365 * 86_400_000;

/**
 * Creates the reference's database with data that the service has returned for some users.
 *
 * @param {string} address address of the database, as for the reference itself
 * @param {{ agents: object[], systemPrompt: string, people: { user: object, chats: object[], messages: object[], usage:
 * object }[] }} data response bodies of the service, and the prompt of the default agent; the session of a user has the
 * user's id
 */
async function seedReference(address, { agents, systemPrompt, people }) {
  const store = await openStore(address);
  const engine = address.startsWith('sqlite:') ? 'sqlite' : 'mysql';
  const statements = schemaOf(engine).map((statement) => [statement, []]);
  const insert = (table, row) => statements.push([insertInto(table, Object.keys(row)), Object.values(row).map(stored)]);
  for (const agent of agents) {
    const { id, sort_order, is_default } = agent;
    const shown = JSON.stringify(agent);
    insert('agents', { id, sort_order, shown, system_prompt: is_default ? systemPrompt : '' });
  }
  for (const { user, chats, messages, usage } of people) {
    insert('users', user);
    const expires_at = new Date(Date.now() + YEAR_MILLISECONDS).toISOString();
    insert('sessions', { id: user.id, user_id: user.id, expires_at });
    for (const chat of chats) {
      const columns = Object.entries(chat).filter(([name]) => CHAT_COLUMNS.includes(name));
      insert('chats', { id: chat.id, ...Object.fromEntries(columns) });
    }
    for (const message of messages) {
      insert('messages', { ...message, token_count: Math.ceil(message.content.length / 4) });
    }
    insertUsage(insert, user.id, usage);
  }
  await store.runAll(statements);
  await store.close();
}

/** All conversations count for today. */
function insertUsage(insert, userId, { total_stats, daily_usage }) {
  const today = daily_usage.at(-1).date;
  for (const { date, messages, tokens } of daily_usage.filter(({ date, messages }) => messages > 0 || date === today)) {
    const chats = date === today ? total_stats.total_chats : 0;
    insert('usage_days', { user_id: userId, day: date, chats, messages, tokens });
  }
}

/** A JSON value as stored in the tables. */
function stored(value) {
  if (typeof value === 'boolean') {
    return value ? 1 : 0;
  }
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) {
    return new Date(value);
  }
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

module.exports = { seedReference };
