import { chunks, DONE, events, type Recording, usage } from './recording';

const DEEPSEEK = { id: '0f', object: 'chat.completion.chunk', created: 1, model: 'deepseek-reasoner' };

const deepSeek: Recording = {
  adapter: 'openai-compatible',
  stream:
    ': keep-alive\n\n' +
    chunks(
      { ...DEEPSEEK, system_fingerprint: 'fp_1', usage: null },
      { delta: { role: 'assistant', content: null, reasoning_content: '' }, logprobs: null, finish_reason: null },
      { delta: { content: null, reasoning_content: '嗯' }, logprobs: null, finish_reason: null },
      { delta: { content: '好', reasoning_content: null }, logprobs: null, finish_reason: null },
    ) +
    chunks(
      {
        ...DEEPSEEK,
        usage: {
          prompt_tokens: 40,
          completion_tokens: 12,
          total_tokens: 52,
          completion_tokens_details: { reasoning_tokens: 10 },
          prompt_cache_hit_tokens: 32,
          prompt_cache_miss_tokens: 8,
        },
      },
      { delta: { content: '', reasoning_content: null }, logprobs: null, finish_reason: 'stop' },
    ) +
    DONE,
  text: '好',
  reasoning: '嗯',
  result: { finishReason: 'stop', model: DEEPSEEK.model, usage: usage(40, 12, 32, 10) },
};

const QWEN = { id: 'chatcmpl-q', object: 'chat.completion.chunk', created: 1, model: 'qwen3-max' };

/** Null fields everywhere, and no space after `data:`. */
const qwen: Recording = {
  adapter: 'openai-compatible',
  stream: (
    chunks(
      { ...QWEN, system_fingerprint: null, usage: null },
      { delta: { content: null, role: 'assistant', reasoning_content: '' }, logprobs: null, finish_reason: null },
      { delta: { content: null, reasoning_content: 'Let me see' }, logprobs: null, finish_reason: null },
      { delta: { content: 'はい', reasoning_content: null }, logprobs: null, finish_reason: null },
      { delta: { content: '' }, logprobs: null, finish_reason: 'stop' },
    ) +
    events({ ...QWEN, choices: [], usage: { prompt_tokens: 15, completion_tokens: 8, total_tokens: 23 } }) +
    DONE
  ).replaceAll('data: ', 'data:'),
  text: 'はい',
  reasoning: 'Let me see',
  result: { finishReason: 'stop', model: QWEN.model, usage: usage(15, 8) },
};

/** Usage in the choice. */
const moonshot: Recording = {
  adapter: 'openai-compatible',
  stream:
    chunks(
      { id: 'm', object: 'chat.completion.chunk', created: 1, model: 'kimi-k2' },
      { delta: { role: 'assistant', content: 'Hi' }, finish_reason: null },
      {
        delta: {},
        finish_reason: 'stop',
        usage: { prompt_tokens: 19, completion_tokens: 13, total_tokens: 32, cached_tokens: 6 },
      },
    ) + DONE,
  text: 'Hi',
  reasoning: '',
  result: { finishReason: 'stop', model: 'kimi-k2', usage: usage(19, 13, 6) },
};

export const CHINESE = { deepSeek, qwen, moonshot };
