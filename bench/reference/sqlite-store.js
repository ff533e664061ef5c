const { open } = require('node:fs/promises');
const Libsql = require('libsql');
const { HttpError } = require('./errors.js');
const sql = require('./statements.js');
const { Store } = require('./store.js');

const COUNT_USE = `${sql.INSERT_DAY} ON CONFLICT (user_id, day) DO UPDATE SET
  chats = chats + excluded.chats, messages = messages + excluded.messages, tokens = tokens + excluded.tokens`;

/**
 * A store for SQLite. Statements and transactions run synchronously. The sync to disk runs outside of the event loop.
 */
class SqliteStore extends Store {
  statements = new Map();
  running = Promise.resolve();
  /** The next sync, which has not started yet. It covers all commits until it starts. */
  next = null;

  static async open(file) {
    const store = new SqliteStore();
    store.connection = new Libsql(file);
    store.connection.pragma('journal_mode = WAL');
    store.connection.pragma('synchronous = NORMAL');
    store.connection.pragma('wal_autocheckpoint = 4000');
    // The first read creates the WAL file.
    store.all('SELECT 1 FROM sqlite_master', []);
    store.log = await open(`${file}-wal`, 'r+');
    return store;
  }

  createChat(chat, day) {
    return this.write(() => {
      const id = this.run(sql.INSERT_CHAT, valuesOf(chat, sql.CHAT_COLUMNS));
      this.run(COUNT_USE, [chat.user_id, day, 1, 0, 0]);
      return id;
    });
  }

  updateChat({ id, title, is_pinned, is_archived, tags, updated_at }) {
    return this.write(() => this.run(sql.UPDATE_CHAT, [title, is_pinned, is_archived, tags, updated_at, id]));
  }

  /** @returns {Promise<{ id: number, used: { messages: number, tokens: number } }>} today's earlier usage */
  storeQuestion(userId, question, day, limits) {
    return this.write(() => {
      const [used = { messages: 0, tokens: 0 }] = this.all(sql.READ_DAY, [userId, day]);
      if (used.messages >= limits.messages || used.tokens >= limits.tokens) {
        throw new HttpError(429, 'The quota of the day is used up.');
      }
      const { chat_id: chatId, created_at: at } = question;
      if (this.statement(sql.COUNT_MESSAGE).run(bound([at, at, chatId, userId])).changes === 0) {
        throw new HttpError(404, 'There is no such conversation.');
      }
      const id = this.run(sql.INSERT_QUESTION, valuesOf(question, sql.QUESTION_COLUMNS));
      this.run(COUNT_USE, [userId, day, 0, 1, 0]);
      return { id, used };
    });
  }

  storeReply(userId, reply, day, tokens) {
    return this.write(() => {
      const { chat_id: chatId, completed_at: at } = reply;
      const id = this.run(sql.INSERT_REPLY, valuesOf(reply, sql.REPLY_COLUMNS));
      this.run(sql.COUNT_MESSAGE, [at, at, chatId, userId]);
      this.run(COUNT_USE, [userId, day, 0, 1, tokens]);
      return id;
    });
  }

  /** Runs statements with their parameters in one transaction. */
  runAll(statements) {
    return this.write(() => {
      for (const [statement, parameters] of statements) {
        this.run(statement, parameters);
      }
    });
  }

  async close() {
    this.connection.close();
    await this.log.close();
  }

  all(statement, parameters) {
    return this.statement(statement).all(parameters);
  }

  /** @returns {number} the id of the inserted row, if any */
  run(statement, parameters) {
    return Number(this.statement(statement).run(bound(parameters)).lastInsertRowid);
  }

  statement(text) {
    let statement = this.statements.get(text);
    if (!statement) {
      statement = this.connection.prepare(text);
      this.statements.set(text, statement);
    }
    return statement;
  }

  /** Runs `work` in a transaction, and resolves when the result is on disk. */
  async write(work) {
    const result = this.connection.transaction(work)();
    this.next ??= this.running
      .catch(() => undefined)
      .then(() => {
        this.next = null;
        this.running = this.log.datasync();
        return this.running;
      });
    await this.next;
    return result;
  }
}

function valuesOf(row, columns) {
  return columns.map((column) => row[column]);
}

/** SQLite has no time type. ISO text sorts in the same order. */
function bound(parameters) {
  return parameters.map((value) => (value instanceof Date ? value.toISOString() : value));
}

module.exports = { SqliteStore };
