const express = require('express');
const { HttpError, text, wholeNumber } = require('./errors.js');
const { dayOf } = require('./users.js');

const MESSAGES_OF_ONE_CHAT = 1_000;
const MOST_TAGS = 20;

/** Routes for conversations and their messages. */
function chatRoutes(store, agents) {
  const router = express.Router();
  const show = (chat) => toChat(chat, agents.get(chat.agent_id).shown);

  const chatOf = async (request) => {
    const chat = await store.readChat(idOf(request), request.userId);
    if (!chat) {
      throw new HttpError(404, 'There is no such conversation.');
    }
    return chat;
  };

  router.get('/chat', async (request, response) => {
    const limit = wholeNumber(request.query.limit ?? 20, 1, 100);
    const offset = wholeNumber(request.query.offset ?? 0, 0, Number.MAX_SAFE_INTEGER);
    const chats = await store.listChats(request.userId, limit, offset);
    response.set('X-Total-Count', String(chats[0]?.total ?? 0));
    response.json(chats.map(show));
  });

  router.post('/chat', async (request, response) => {
    const { title, agent_id: agentId } = request.body;
    const agent =
      agentId === undefined ? [...agents.values()].find(({ shown }) => shown.is_default) : agents.get(agentId);
    if (!agent?.shown.is_active) {
      throw new HttpError(404, 'There is no such agent.');
    }
    const now = new Date();
    const chat = {
      user_id: request.userId,
      agent_id: agent.shown.id,
      title: title === undefined ? 'New chat' : text(title, 0, 200),
      is_pinned: 0,
      is_archived: 0,
      tags: '[]',
      message_count: 0,
      last_message_at: null,
      read_message_id: null,
      created_at: now,
      updated_at: now,
    };
    const id = await store.createChat(chat, dayOf(now));
    response.status(201).json(show({ id, ...chat }));
  });

  router.get('/chat/:id', async (request, response) => {
    const chat = await chatOf(request);
    const messages = await store.newestMessages(chat.id, MESSAGES_OF_ONE_CHAT + 1);
    const shown = messages.slice(0, MESSAGES_OF_ONE_CHAT).reverse();
    response.json({
      ...show(chat),
      messages: shown.map(toMessage),
      has_more_messages: messages.length > MESSAGES_OF_ONE_CHAT,
    });
  });

  router.get('/chat/:id/messages', async (request, response) => {
    const limit = wholeNumber(request.query.limit ?? 50, 1, 200);
    const chat = await chatOf(request);
    const messages = await store.newestMessages(chat.id, limit);
    response.set('X-Total-Count', String(chat.message_count));
    response.json(messages.reverse().map(toMessage));
  });

  router.put('/chat/:id', async (request, response) => {
    const chat = await chatOf(request);
    Object.assign(chat, changesFrom(request.body), { updated_at: new Date() });
    await store.updateChat(chat);
    response.json(show(chat));
  });

  return router;
}

function idOf(request) {
  return wholeNumber(request.params.id, 1, Number.MAX_SAFE_INTEGER);
}

/**
 * Reads the changed columns from a request.
 *
 * @throws HttpError if nothing changes or a value is invalid
 */
function changesFrom({ title, is_pinned: isPinned, is_archived: isArchived, tags }) {
  const changes = {};
  if (title !== undefined) {
    changes.title = text(title, 1, 200);
  }
  if (isPinned !== undefined) {
    changes.is_pinned = isPinned ? 1 : 0;
  }
  if (isArchived !== undefined) {
    changes.is_archived = isArchived ? 1 : 0;
  }
  if (tags !== undefined) {
    if (!Array.isArray(tags) || tags.length > MOST_TAGS) {
      throw new HttpError(422, `Not a list of up to ${MOST_TAGS} texts.`);
    }
    changes.tags = JSON.stringify(tags.map((tag) => text(tag, 1, 50)));
  }
  if (Object.keys(changes).length === 0) {
    throw new HttpError(422, 'There is nothing to change.');
  }
  return changes;
}

function toChat(row, agent) {
  return {
    id: row.id,
    title: row.title,
    user_id: row.user_id,
    agent_id: row.agent_id,
    is_pinned: row.is_pinned === 1,
    is_archived: row.is_archived === 1,
    tags: JSON.parse(row.tags),
    knowledge: [],
    message_count: row.message_count,
    last_message_at: row.last_message_at,
    // A reply is stored when it is complete, so no stored message is in progress.
    active_message_id: null,
    read_message_id: row.read_message_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    expires_at: null,
    agent,
  };
}

function toMessage(row) {
  return {
    id: row.id,
    chat_id: row.chat_id,
    role: row.role,
    content: row.content,
    parts: row.parts && JSON.parse(row.parts),
    status: row.status,
    finish_reason: row.finish_reason,
    parent_id: row.parent_id,
    is_current: row.is_current === 1,
    model: row.model,
    ...(row.role === 'assistant' && {
      reasoning: row.reasoning,
      token_usage: row.token_usage && JSON.parse(row.token_usage),
      citations: row.citations === null ? [] : JSON.parse(row.citations),
    }),
    error: row.error && JSON.parse(row.error),
    feedback: row.feedback && JSON.parse(row.feedback),
    created_at: row.created_at,
    updated_at: row.updated_at,
    completed_at: row.completed_at,
    first_token_ms: row.first_token_ms,
    duration_ms: row.duration_ms,
  };
}

module.exports = { chatRoutes };
