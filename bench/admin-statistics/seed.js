const { seedLists } = require('./seed-lists.js');

const DAY_MILLISECONDS = 86_400_000;
const AGENTS = 5;
const MESSAGES_A_CHAT = 20;
const RATED_EVERY = 100;
/** Rows per statement: enough to be fast, but few enough for the default redo log. */
const ROWS_AT_ONCE = 200_000;

const SUMS = 'chats, messages, user_messages, prompt_tokens, completion_tokens, tokens, failed_replies';

/**
 * Inserts the data of an installation with 5 agents and the given users, days and messages: accounts, conversations,
 * messages (alternating questions and replies, one reply in fifty rated), the ledger and all roll-ups. The exchanges
 * are spread evenly over users, agents and days.
 *
 * @param {{ run: (sql: string) => Promise<void> }} database
 * @param {{ messages: number, users: number, days: number, ownerId: number, sqlite: boolean }} size `ownerId`: owner of
 * the webhook
 */
async function seedInstallation(database, { messages, users, days, ownerId, sqlite }) {
  const now = time(today());
  // A different time for each message.
  const ratedAt = sqlite
    ? `strftime('%Y-%m-%d %H:%M:%f', ${now}, '-' || i || ' seconds')`
    : `DATE_SUB(${now}, INTERVAL i SECOND)`;
  const text = (prefix) => (sqlite ? `'${prefix}' || i` : `CONCAT('${prefix}', i)`);
  const insert = async (count, statement) => {
    for (let start = 0; start < count; start += ROWS_AT_ONCE) {
      await database.run(`${statement} FROM ${numbers(start, Math.min(count, start + ROWS_AT_ONCE))}`);
    }
  };
  await insert(
    users,
    `INSERT INTO users (id, username, username_key, email, user_type, membership_type, status, settings, created_at, updated_at)
     SELECT 1000 + i, ${text('user')}, ${text('user')}, ${text('user@example.')}, 'normal',
       CASE WHEN i % 10 = 0 THEN 'monthly' ELSE 'free' END, 'active', '{}', ${now}, ${now}`,
  );
  await insert(
    Math.ceil(messages / MESSAGES_A_CHAT),
    `INSERT INTO chats (id, user_id, agent_id, title, has_placeholder_title, is_pinned, is_archived, tags, message_count,
       last_message_at, created_at, updated_at)
     SELECT 1 + i, 1000 + i * 7919 % ${users}, 1 + i % ${AGENTS}, 'A conversation', 0, 0, 0, '[]', ${MESSAGES_A_CHAT},
       ${now}, ${now}, ${now}`,
  );
  await insert(
    messages,
    `INSERT INTO chat_messages (id, chat_id, position, role, status, is_current, token_count, created_at, updated_at, content,
       feedback_rating, feedback_at)
     SELECT 1 + i, 1 + ${whole(`FLOOR(i / ${MESSAGES_A_CHAT})`)}, i % ${MESSAGES_A_CHAT} - i % 2, ${ROLE}, 'completed', 1,
       40, ${now}, ${now}, 'Some words that somebody wrote.',
       CASE WHEN i % ${RATED_EVERY} = 1 THEN 'like' END, CASE WHEN i % ${RATED_EVERY} = 1 THEN ${ratedAt} END`,
  );
  await insert(
    messages,
    `INSERT INTO usage_entries (message_id, user_id, chat_id, agent_id, role, model, prompt_tokens, completion_tokens,
       tokens, status, day, created_at)
     SELECT 1 + i, 1000 + ${EXCHANGE} * 7919 % ${users}, 1 + ${whole(`FLOOR(i / ${MESSAGES_A_CHAT})`)},
       1 + ${EXCHANGE} * 31 % ${AGENTS}, ${ROLE},
       CASE WHEN i % 2 = 0 THEN NULL WHEN ${EXCHANGE} % 3 = 0 THEN 'large' ELSE 'small' END,
       i % 2 * 30, i % 2 * 10, i % 2 * 40, 'completed', ${today()} - ${EXCHANGE} * 131 % ${days}, ${now}`,
  );
  if (!sqlite) {
    // MariaDB writes temporary tables to a folder that any other MariaDB clears when it starts.
    await database.run('SET SESSION tmp_table_size = 1000000000, max_heap_table_size = 1000000000');
  }
  await sumUp(database, days);
  // Times in the last 30 days, one for each row, ascending.
  const at = (rows) => {
    const seconds = whole(`FLOOR((${rows} - i) * 2592000.0 / ${rows})`);
    return sqlite
      ? `strftime('%Y-%m-%d %H:%M:%f', ${now}, '-' || ${seconds} || ' seconds')`
      : `DATE_SUB(${now}, INTERVAL ${seconds} SECOND)`;
  };
  await seedLists(database, { messages, users, days, ownerId }, { insert, now, today: today(), text, at });
}

/** Inserts the roll-ups that the service updates with each message and after each day. */
async function sumUp(database, days) {
  await database.run(
    `INSERT INTO usage_rollups (day, user_id, agent_id, model, ${SUMS})
     SELECT day, user_id, agent_id, COALESCE(model, ''), 0, COUNT(*), SUM(CASE WHEN role = 'user' THEN 1 ELSE 0 END),
       SUM(prompt_tokens), SUM(completion_tokens), SUM(tokens), 0
     FROM usage_entries GROUP BY day, user_id, agent_id, COALESCE(model, '')`,
  );
  await database.run(
    `INSERT INTO usage_closed_days (day, agent_id, model, ${SUMS})
     SELECT day, agent_id, model, ${SUMS.replace(/\w+/g, 'SUM($&)')} FROM usage_rollups
     WHERE day < ${today()} GROUP BY day, agent_id, model`,
  );
  for (let month = monthOf(today() - days); month <= monthOf(today()); month++) {
    await database.run(
      `INSERT INTO usage_user_months (month, user_id, ${SUMS})
       SELECT ${month}, user_id, ${SUMS.replace(/\w+/g, 'SUM($&)')} FROM usage_rollups
       WHERE day >= ${firstDayOf(month)} AND day < ${Math.min(firstDayOf(month + 1), today())} GROUP BY user_id`,
    );
  }
  await database.run(
    `INSERT INTO usage_accounts (user_id, total_chats, total_messages, total_tokens, day, day_messages, day_tokens)
     SELECT user_id, 1, COUNT(*), SUM(tokens), MAX(day), 1, 40 FROM usage_entries GROUP BY user_id`,
  );
}

const ROLE = "CASE WHEN i % 2 = 0 THEN 'user' ELSE 'assistant' END";

/** The number of a message's exchange. */
const EXCHANGE = whole('FLOOR(i / 2)');

function whole(expression) {
  return `CAST(${expression} AS INTEGER)`;
}

function today() {
  return Math.floor(Date.now() / DAY_MILLISECONDS);
}

/** Twelve times the year, plus 0 for January to 11 for December. */
function monthOf(day) {
  const date = new Date(day * DAY_MILLISECONDS);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function firstDayOf(month) {
  return Date.UTC(Math.floor(month / 12), month % 12, 1) / DAY_MILLISECONDS;
}

function time(day) {
  return `'${new Date(day * DAY_MILLISECONDS).toISOString().slice(0, 19).replace('T', ' ')}.000'`;
}

/**
 * A table with the whole numbers from `start` up to, but excluding, `end` in column `i`. Recursion is limited to a
 * depth of one thousand.
 */
function numbers(start, end) {
  const digits = (name) =>
    `(WITH RECURSIVE n(d) AS (SELECT 0 UNION ALL SELECT d + 1 FROM n WHERE d < 999) SELECT d FROM n) ${name}`;
  return `(SELECT i FROM (SELECT ${start} + high.d * 1000 + low.d AS i FROM ${digits('high')}
    CROSS JOIN ${digits('low')}) every WHERE i < ${end}) numbers`;
}

module.exports = { seedInstallation };
