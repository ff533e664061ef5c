const sql = require('./statements.js');

/** The reads of the routes. The store of each database implements how to read, and all writes. */
class Store {
  async readSession(id, userId) {
    const [session] = await this.all(sql.READ_SESSION, [id, userId]);
    return session;
  }

  async readUser(id) {
    const [user] = await this.all(sql.READ_USER, [id]);
    return user;
  }

  /** @returns {Promise<{ shown: object, systemPrompt: string }[]>} */
  async readAgents() {
    const agents = await this.all(sql.READ_AGENTS, []);
    return agents.map(({ shown, system_prompt: systemPrompt }) => ({ shown: JSON.parse(shown), systemPrompt }));
  }

  /** Each row includes `total`, the number of all conversations. */
  listChats(userId, limit, offset) {
    return this.all(sql.LIST_CHATS, [userId, userId, limit, offset]);
  }

  async readChat(id, userId) {
    const [chat] = await this.all(sql.READ_CHAT, [id, userId]);
    return chat;
  }

  /** Newest first. */
  newestMessages(chatId, limit) {
    return this.all(sql.NEWEST_MESSAGES, [chatId, limit]);
  }

  /** As `newestMessages`, but only with the fields that the model needs. */
  readHistory(chatId, limit) {
    return this.all(sql.READ_HISTORY, [chatId, limit]);
  }

  async readTotals(userId) {
    const [{ total_messages, total_tokens, total_chats, total_cost }] = await this.all(sql.READ_TOTALS, [userId]);
    return {
      total_messages: Number(total_messages),
      total_tokens: Number(total_tokens),
      total_chats: Number(total_chats),
      total_cost: total_cost === null ? null : Number(total_cost),
    };
  }

  readDays(userId, firstDay) {
    return this.all(sql.READ_DAYS, [userId, firstDay]);
  }
}

module.exports = { Store };
