/** SQL statements that SQLite and MySQL share. */
const CHAT_COLUMNS = [
  ...['user_id', 'agent_id', 'title', 'is_pinned', 'is_archived', 'tags', 'message_count', 'last_message_at'],
  ...['read_message_id', 'created_at', 'updated_at'],
];
const QUESTION_COLUMNS = [
  ...['chat_id', 'role', 'content', 'status', 'parent_id', 'is_current', 'token_count'],
  ...['created_at', 'updated_at', 'completed_at'],
];
const REPLY_COLUMNS = [
  ...QUESTION_COLUMNS,
  ...['finish_reason', 'model', 'token_usage', 'error', 'first_token_ms', 'duration_ms'],
];

const READ_SESSION = `
  SELECT users.status, sessions.expires_at FROM sessions JOIN users ON users.id = sessions.user_id
  WHERE sessions.id = ? AND sessions.user_id = ?`;

const READ_USER = 'SELECT * FROM users WHERE id = ?';

const READ_AGENTS = 'SELECT shown, system_prompt FROM agents ORDER BY sort_order, id';

const LIST_CHATS = `
  SELECT id, ${CHAT_COLUMNS.join(', ')}, (SELECT COUNT(*) FROM chats WHERE user_id = ?) AS total
  FROM chats WHERE user_id = ?
  ORDER BY updated_at DESC, id DESC LIMIT ? OFFSET ?`;

const READ_CHAT = `SELECT id, ${CHAT_COLUMNS.join(', ')} FROM chats WHERE id = ? AND user_id = ?`;

const INSERT_CHAT = insertInto('chats', CHAT_COLUMNS);

const UPDATE_CHAT = 'UPDATE chats SET title = ?, is_pinned = ?, is_archived = ?, tags = ?, updated_at = ? WHERE id = ?';

/** Counts a new message. Nothing changes unless the conversation belongs to the user. */
const COUNT_MESSAGE = `
  UPDATE chats SET message_count = message_count + 1, last_message_at = ?, updated_at = ? WHERE id = ? AND user_id = ?`;

const NEWEST_MESSAGES = 'SELECT * FROM messages WHERE chat_id = ? AND is_current = 1 ORDER BY id DESC LIMIT ?';

const READ_HISTORY = `
  SELECT id, role, content, token_count FROM messages WHERE chat_id = ? AND is_current = 1 ORDER BY id DESC LIMIT ?`;

const INSERT_QUESTION = insertInto('messages', QUESTION_COLUMNS);

const INSERT_REPLY = insertInto('messages', REPLY_COLUMNS);

const READ_TOTALS = `
  SELECT COALESCE(SUM(messages), 0) AS total_messages, COALESCE(SUM(tokens), 0) AS total_tokens,
    COALESCE(SUM(chats), 0) AS total_chats, CASE WHEN COUNT(*) = COUNT(cost) THEN COALESCE(SUM(cost), 0) END AS total_cost
  FROM usage_days WHERE user_id = ?`;

const READ_DAYS = 'SELECT day, messages, tokens, cost FROM usage_days WHERE user_id = ? AND day >= ?';

const READ_DAY = 'SELECT messages, tokens FROM usage_days WHERE user_id = ? AND day = ?';

const INSERT_DAY = 'INSERT INTO usage_days (user_id, day, chats, messages, tokens) VALUES (?, ?, ?, ?, ?)';

function insertInto(table, columns) {
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
}

module.exports = {
  CHAT_COLUMNS,
  COUNT_MESSAGE,
  INSERT_CHAT,
  INSERT_DAY,
  INSERT_QUESTION,
  INSERT_REPLY,
  insertInto,
  LIST_CHATS,
  NEWEST_MESSAGES,
  QUESTION_COLUMNS,
  READ_AGENTS,
  READ_CHAT,
  READ_DAY,
  READ_DAYS,
  READ_HISTORY,
  READ_SESSION,
  READ_TOTALS,
  READ_USER,
  REPLY_COLUMNS,
  UPDATE_CHAT,
};
