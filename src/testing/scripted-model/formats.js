'use strict';
const { anthropicCalls, openAiCalls } = require('./tool-calls.js');

const USAGE = { prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 };

function event(data, name) {
  return `${name ? `event: ${name}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** OpenAI's chunk objects. A script's `usage` is sent unchanged; `null` sends none. */
function openAi(body, usage = USAGE) {
  const envelope = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: body.model };
  const choice = (delta, finish_reason = null) =>
    event({ ...envelope, choices: [{ index: 0, delta, finish_reason }], ...(usage === null ? {} : { usage: null }) });
  return {
    ...openAiCalls(choice),
    start: () => choice({ role: 'assistant', content: '' }),
    text: (content) => choice({ content }),
    reasoning: (reasoning_content) => choice({ content: null, reasoning_content }),
    finish: (reason) => choice({}, reason),
    usage: () => (usage === null ? '' : event({ ...envelope, choices: [], usage })),
    done: () => event('[DONE]'),
    error: (error) => event({ error }),
  };
}

const STOP_REASONS = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' };

/** Anthropic's named events. */
function anthropic(body, usage = { input_tokens: 11, output_tokens: 5 }) {
  const named = (data) => event(data, data.type);
  const delta = (content) => named({ type: 'content_block_delta', index: 0, delta: content });
  return {
    ...anthropicCalls(named),
    start: () =>
      named({
        type: 'message_start',
        message: { id: 'msg_1', role: 'assistant', model: body.model, content: [], usage: usage ?? undefined },
      }) + named({ type: 'ping' }),
    text: (text) => delta({ type: 'text_delta', text }),
    reasoning: (thinking) => delta({ type: 'thinking_delta', thinking }),
    finish: (reason) =>
      named({
        type: 'message_delta',
        delta: { stop_reason: STOP_REASONS[reason] ?? reason },
        usage: usage === null ? undefined : { output_tokens: usage.output_tokens },
      }),
    usage: () => '',
    done: () => named({ type: 'message_stop' }),
    error: (error) => named({ type: 'error', error }),
  };
}

module.exports = { event, openAi, anthropic };
