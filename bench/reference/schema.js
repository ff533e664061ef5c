/** The tables in SQL that SQLite and MySQL share. Types in brackets are replaced for each engine. */
const SCHEMA = `
  CREATE TABLE users (
    id INTEGER PRIMARY KEY, username VARCHAR(50) NOT NULL, email VARCHAR(254) NOT NULL, user_type VARCHAR(16) NOT NULL,
    membership_type VARCHAR(16) NOT NULL, membership_expires_at [TIME], status VARCHAR(16) NOT NULL, avatar VARCHAR(500),
    language VARCHAR(16), last_login_at [TIME], created_at [TIME] NOT NULL, updated_at [TIME] NOT NULL
  );
  CREATE TABLE sessions (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, expires_at [TIME] NOT NULL);
  CREATE TABLE agents (id INTEGER PRIMARY KEY, sort_order INTEGER NOT NULL, shown [TEXT] NOT NULL, system_prompt [TEXT] NOT NULL);
  CREATE TABLE chats (
    id [ID], user_id INTEGER NOT NULL, agent_id INTEGER NOT NULL, title VARCHAR(200) NOT NULL, is_pinned INTEGER NOT NULL,
    is_archived INTEGER NOT NULL, tags [TEXT] NOT NULL, message_count INTEGER NOT NULL, last_message_at [TIME], read_message_id INTEGER,
    created_at [TIME] NOT NULL, updated_at [TIME] NOT NULL
  );
  CREATE INDEX ix_chats ON chats (user_id, updated_at, id);
  CREATE TABLE messages (
    id [ID], chat_id INTEGER NOT NULL, role VARCHAR(16) NOT NULL, content [TEXT] NOT NULL, parts [TEXT], reasoning [TEXT],
    status VARCHAR(16) NOT NULL, finish_reason VARCHAR(16), parent_id INTEGER, is_current INTEGER NOT NULL,
    model VARCHAR(200), token_usage [TEXT], citations [TEXT], token_count INTEGER NOT NULL, error [TEXT], feedback [TEXT],
    created_at [TIME] NOT NULL, updated_at [TIME] NOT NULL, completed_at [TIME], first_token_ms INTEGER, duration_ms INTEGER
  );
  CREATE INDEX ix_messages ON messages (chat_id, id);
  CREATE TABLE usage_days (
    user_id INTEGER NOT NULL, day CHAR(10) NOT NULL, chats INTEGER NOT NULL, messages INTEGER NOT NULL,
    tokens BIGINT NOT NULL, cost BIGINT, PRIMARY KEY (user_id, day)
  )`;

const TYPES = {
  sqlite: { TIME: 'TEXT', TEXT: 'TEXT', ID: 'INTEGER PRIMARY KEY' },
  mysql: { TIME: 'DATETIME(3)', TEXT: 'LONGTEXT', ID: 'INTEGER PRIMARY KEY AUTO_INCREMENT' },
};

/** @param {'sqlite' | 'mysql'} engine @returns {string[]} statements */
function schemaOf(engine) {
  return SCHEMA.replace(/\[(\w+)\]/g, (_, type) => TYPES[engine][type]).split(';');
}

module.exports = { schemaOf };
