const { createPool } = require('mysql2/promise');
const { HttpError } = require('./errors.js');
const sql = require('./statements.js');
const { Store } = require('./store.js');

const COUNT_USE = `${sql.INSERT_DAY} ON DUPLICATE KEY UPDATE
  chats = chats + VALUES(chats), messages = messages + VALUES(messages), tokens = tokens + VALUES(tokens)`;

/** A store for MySQL and MariaDB. A commit is durable when the server acknowledges it. */
class MysqlStore extends Store {
  static open(address) {
    const store = new MysqlStore();
    store.pool = createPool({ uri: address, connectionLimit: 16, timezone: 'Z' });
    return store;
  }

  createChat(chat, day) {
    return this.write(async (connection) => {
      const { insertId } = await run(connection, sql.INSERT_CHAT, valuesOf(chat, sql.CHAT_COLUMNS));
      await run(connection, COUNT_USE, [chat.user_id, day, 1, 0, 0]);
      return insertId;
    });
  }

  async updateChat({ id, title, is_pinned, is_archived, tags, updated_at }) {
    await run(this.pool, sql.UPDATE_CHAT, [title, is_pinned, is_archived, tags, updated_at, id]);
  }

  /** @returns {Promise<{ id: number, used: { messages: number, tokens: number } }>} today's earlier usage */
  storeQuestion(userId, question, day, limits) {
    return this.write(async (connection) => {
      const { chat_id: chatId, created_at: at } = question;
      const { affectedRows } = await run(connection, sql.COUNT_MESSAGE, [at, at, chatId, userId]);
      if (affectedRows === 0) {
        throw new HttpError(404, 'There is no such conversation.');
      }
      // Locks the row of the day, so that the second of two concurrent messages sees the first.
      await run(connection, COUNT_USE, [userId, day, 0, 1, 0]);
      const [[today]] = await connection.execute(sql.READ_DAY, [userId, day]);
      const used = { messages: today.messages - 1, tokens: today.tokens };
      if (used.messages >= limits.messages || used.tokens >= limits.tokens) {
        throw new HttpError(429, 'The quota of the day is used up.');
      }
      const { insertId } = await run(connection, sql.INSERT_QUESTION, valuesOf(question, sql.QUESTION_COLUMNS));
      return { id: insertId, used };
    });
  }

  storeReply(userId, reply, day, tokens) {
    return this.write(async (connection) => {
      const { chat_id: chatId, completed_at: at } = reply;
      await run(connection, sql.COUNT_MESSAGE, [at, at, chatId, userId]);
      await run(connection, COUNT_USE, [userId, day, 0, 1, tokens]);
      const { insertId } = await run(connection, sql.INSERT_REPLY, valuesOf(reply, sql.REPLY_COLUMNS));
      return insertId;
    });
  }

  /** Runs statements with their parameters in one transaction, except those that create tables. */
  runAll(statements) {
    return this.write(async (connection) => {
      for (const [statement, parameters] of statements) {
        await run(connection, statement, parameters);
      }
    });
  }

  close() {
    return this.pool.end();
  }

  async all(statement, parameters) {
    const [rows] = await this.pool.execute(statement, parameters);
    return rows;
  }

  async write(work) {
    const connection = await this.pool.getConnection();
    try {
      await connection.beginTransaction();
      const result = await work(connection);
      await connection.commit();
      return result;
    } catch (error) {
      await connection.rollback();
      throw error;
    } finally {
      connection.release();
    }
  }
}

async function run(connection, statement, parameters) {
  const [result] = await connection.execute(statement, parameters);
  return result;
}

function valuesOf(row, columns) {
  return columns.map((column) => row[column]);
}

module.exports = { MysqlStore };
