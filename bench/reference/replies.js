const http = require('node:http');
const express = require('express');
const { createParser } = require('eventsource-parser');
const { HttpError, text, wholeNumber } = require('./errors.js');
const { dayOf } = require('./users.js');

/** Limits of a prompt, apart from the agent's own prompt, and daily limits of a user. */
const HISTORY_MESSAGES = 199;
const HISTORY_TOKENS = 1_000_000;
const LIMITS = { messages: 100_000_000, tokens: 1_000_000_000_000 };

/** Routes to send a message. The reply is streamed and ends with a line about its usage. */
function replyRoutes(store, agents, modelPort) {
  const router = express.Router();
  const model = new Model(modelPort);
  /** Conversations with a reply in progress. Each can have one at a time. */
  const busy = new Set();

  router.post('/chat/message', async (request, response) => {
    const chatId = wholeNumber(request.body.chat_id, 1, Number.MAX_SAFE_INTEGER);
    const content = text(request.body.content, 1, 100_000);
    if (busy.has(chatId)) {
      throw new HttpError(409, 'A reply is being written.');
    }
    busy.add(chatId);
    try {
      await answer(request.userId, chatId, content, response);
    } finally {
      busy.delete(chatId);
    }
  });

  async function answer(userId, chatId, content, response) {
    const startedAt = new Date();
    const chat = await store.readChat(chatId, userId);
    if (!chat) {
      throw new HttpError(404, 'There is no such conversation.');
    }
    const history = await store.readHistory(chatId, HISTORY_MESSAGES);
    const question = {
      chat_id: chatId,
      role: 'user',
      content,
      status: 'completed',
      parent_id: history[0]?.id ?? null,
      is_current: 1,
      token_count: estimateTokens(content),
      created_at: startedAt,
      updated_at: startedAt,
      completed_at: startedAt,
    };
    const { id, used } = await store.storeQuestion(userId, question, dayOf(startedAt), LIMITS);
    response.set({
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
      'X-Chat-Id': String(chatId),
      'X-User-Message-Id': String(id),
      'X-Quota-Messages-Remaining': String(LIMITS.messages - used.messages - 1),
      'X-Quota-Tokens-Remaining': String(LIMITS.tokens - used.tokens),
    });
    const { systemPrompt } = agents.get(chat.agent_id);
    const end = await model.stream(promptOf(systemPrompt, history, content), (piece) => response.write(piece));
    const completedAt = new Date();
    const reply = {
      chat_id: chatId,
      role: 'assistant',
      content: end.text,
      status: end.finishReason === null ? 'failed' : 'completed',
      parent_id: id,
      is_current: 1,
      token_count: estimateTokens(end.text),
      created_at: startedAt,
      updated_at: completedAt,
      completed_at: completedAt,
      finish_reason: end.finishReason ?? 'error',
      model: end.usage.model,
      token_usage: JSON.stringify(end.usage),
      error: end.finishReason === null ? JSON.stringify({ code: 'PROVIDER_UNAVAILABLE', retryable: true }) : null,
      first_token_ms: end.firstTokenAt === null ? null : end.firstTokenAt - startedAt,
      duration_ms: completedAt - startedAt,
    };
    const messageId = await store.storeReply(userId, reply, dayOf(completedAt), end.usage.total_tokens);
    const trailer = {
      ...end.usage,
      message_id: messageId,
      user_message_id: id,
      chat_id: chatId,
      status: reply.status,
      finish_reason: reply.finish_reason,
      error: reply.error && JSON.parse(reply.error),
    };
    response.end(`\n__TOKEN_USAGE__${JSON.stringify(trailer)}\n`);
  }

  return router;
}

/** A client for an OpenAI-compatible server. */
class Model {
  constructor(port) {
    this.port = port;
    this.agent = new http.Agent({ keepAlive: true });
  }

  /** Resolves at the end of the stream. If the stream breaks off, there is no finish reason. */
  stream(messages, onText) {
    const body = JSON.stringify({ model: 'bench', messages, stream: true, stream_options: { include_usage: true } });
    const end = { text: '', finishReason: null, firstTokenAt: null, usage: usageOf(null, {}) };
    const parser = createParser({
      onEvent: ({ data }) => {
        if (data === '[DONE]') {
          return;
        }
        const { choices, usage, model } = JSON.parse(data);
        const piece = choices[0]?.delta.content;
        if (piece) {
          end.firstTokenAt ??= Date.now();
          end.text += piece;
          onText(piece);
        }
        end.finishReason = choices[0]?.finish_reason ?? end.finishReason;
        end.usage = usage ? usageOf(model, usage) : end.usage;
      },
    });
    return new Promise((resolve) => {
      const request = http.request({
        host: '127.0.0.1',
        port: this.port,
        path: '/v1/chat/completions',
        method: 'POST',
        agent: this.agent,
        headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
      });
      request.on('response', (response) => {
        response.setEncoding('utf8');
        response.on('data', (part) => parser.feed(part));
        response.on('close', () => resolve(end));
      });
      request.on('error', () => resolve(end));
      request.end(body);
    });
  }
}

function usageOf(
  model,
  { prompt_tokens = 0, completion_tokens = 0, prompt_tokens_details, completion_tokens_details },
) {
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    cached_tokens: prompt_tokens_details?.cached_tokens ?? 0,
    reasoning_tokens: completion_tokens_details?.reasoning_tokens ?? 0,
    is_estimated: model === null,
    model,
  };
}

/**
 * The newest messages that fit, oldest first, starting with a user's message.
 *
 * @param history newest first
 */
function promptOf(systemPrompt, history, content) {
  const messages = [];
  let tokens = 0;
  for (const message of history) {
    tokens += message.token_count;
    if (tokens > HISTORY_TOKENS) {
      break;
    }
    messages.push({ role: message.role, content: message.content });
  }
  messages.reverse();
  if (messages[0]?.role === 'assistant') {
    messages.shift();
  }
  return [{ role: 'system', content: systemPrompt }, ...messages, { role: 'user', content }];
}

function estimateTokens(content) {
  return Math.ceil(content.length / 4);
}

module.exports = { replyRoutes };
