import { chunks, DONE, events, type Recording, usage } from './recording';

const OPENAI = {
  id: 'chatcmpl-C9x',
  object: 'chat.completion.chunk',
  created: 1760000000,
  model: 'gpt-5-mini-2025-08-07',
  service_tier: 'default',
  system_fingerprint: null,
  obfuscation: 'k2JxQ0',
};

const openai: Recording = {
  adapter: 'openai-compatible',
  stream:
    chunks(
      { ...OPENAI, usage: null },
      { delta: { role: 'assistant', content: '', refusal: null }, finish_reason: null },
      { delta: { content: 'Grüße' }, finish_reason: null },
      { delta: { content: ' 👋🏽' }, finish_reason: null },
      { delta: {}, finish_reason: 'stop' },
    ) +
    events({
      ...OPENAI,
      choices: [],
      usage: {
        prompt_tokens: 1_200,
        completion_tokens: 85,
        total_tokens: 1_285,
        prompt_tokens_details: { cached_tokens: 1_024, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 64, audio_tokens: 0, accepted_prediction_tokens: 0 },
      },
    }) +
    DONE,
  text: 'Grüße 👋🏽',
  reasoning: '',
  result: { finishReason: 'stop', model: OPENAI.model, usage: usage(1_200, 85, 1_024, 64) },
};

/** A model that refuses the requested format: its message has its own field. */
const openaiRefusal: Recording = {
  adapter: 'openai-compatible',
  stream:
    chunks(
      { ...OPENAI, usage: null },
      { delta: { role: 'assistant', content: null, refusal: '' }, finish_reason: null },
      { delta: { refusal: "I'm sorry, " }, finish_reason: null },
      { delta: { refusal: "I can't." }, finish_reason: null },
      { delta: {}, finish_reason: 'stop' },
    ) +
    events({ ...OPENAI, choices: [], usage: { prompt_tokens: 40, completion_tokens: 9, total_tokens: 49 } }) +
    DONE,
  text: "I'm sorry, I can't.",
  reasoning: '',
  result: { finishReason: 'content_filter', model: OPENAI.model, usage: usage(40, 9) },
};

const AZURE = { id: 'chatcmpl-Az', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o-2024-11-20' };
const SAFE = { hate: { filtered: false, severity: 'safe' }, violence: { filtered: false, severity: 'safe' } };

const azure: Recording = {
  adapter: 'openai-compatible',
  stream:
    events({
      choices: [],
      created: 0,
      id: '',
      model: '',
      object: '',
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: SAFE }],
    }) +
    chunks(
      AZURE,
      { content_filter_results: {}, delta: { content: '', role: 'assistant' }, finish_reason: null, logprobs: null },
      { content_filter_results: SAFE, delta: { content: 'Hola' }, finish_reason: null, logprobs: null },
      {
        content_filter_results: { violence: { filtered: true, severity: 'medium' } },
        delta: {},
        finish_reason: 'content_filter',
        logprobs: null,
      },
    ) +
    events({ ...AZURE, choices: [], usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } }) +
    DONE,
  text: 'Hola',
  reasoning: '',
  result: { finishReason: 'content_filter', model: AZURE.model, usage: usage(9, 2) },
};

const OPENROUTER = {
  id: 'gen-17',
  provider: 'DeepInfra',
  model: 'deepseek/deepseek-r1',
  object: 'chat.completion.chunk',
  created: 1,
};

const openRouter: Recording = {
  adapter: 'openai-compatible',
  stream:
    ': OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n' +
    chunks(
      OPENROUTER,
      {
        delta: {
          role: 'assistant',
          content: '',
          reasoning: 'Hm, ',
          reasoning_details: [{ type: 'reasoning.text', text: 'Hm, ', format: 'unknown', index: 0 }],
        },
        finish_reason: null,
        native_finish_reason: null,
      },
      { delta: { content: '', reasoning_details: [{ type: 'reasoning.summary', summary: 'so.', index: 0 }] } },
      { delta: { content: '', reasoning_details: [{ type: 'reasoning.encrypted', data: 'Zm9v', index: 0 }] } },
      { delta: { role: 'assistant', content: '你好', reasoning: null }, finish_reason: null },
    ) +
    ': OPENROUTER PROCESSING\n\n' +
    chunks(
      { ...OPENROUTER, usage: { prompt_tokens: 7, completion_tokens: 30, total_tokens: 37, cost: 0.0001 } },
      { delta: { role: 'assistant', content: '' }, finish_reason: 'length', native_finish_reason: 'MAX_TOKENS' },
    ) +
    DONE,
  text: '你好',
  reasoning: 'Hm, so.',
  result: { finishReason: 'length', model: OPENROUTER.model, usage: usage(7, 30) },
};

const GROQ = { id: 'chatcmpl-g', object: 'chat.completion.chunk', created: 1, model: 'qwen/qwen3-32b' };

const groq: Recording = {
  adapter: 'openai-compatible',
  stream:
    chunks({ ...GROQ, x_groq: { id: 'req_01' } }, { delta: { role: 'assistant', content: '' }, finish_reason: null }) +
    chunks(
      GROQ,
      { delta: { reasoning: 'Easy.', channel: 'analysis' }, finish_reason: null },
      { delta: { content: 'Paris' }, logprobs: null, finish_reason: null },
    ) +
    chunks(
      {
        ...GROQ,
        x_groq: {
          id: 'req_01',
          usage: { queue_time: 0.01, prompt_tokens: 21, completion_tokens: 4, total_tokens: 25 },
        },
      },
      { delta: {}, logprobs: null, finish_reason: 'stop' },
    ) +
    DONE,
  text: 'Paris',
  reasoning: 'Easy.',
  result: { finishReason: 'stop', model: GROQ.model, usage: usage(21, 4) },
};

const MISTRAL = { id: 'c0', object: 'chat.completion.chunk', created: 1, model: 'magistral-medium-2509' };

/** Reasoning is part of the content, and is followed by white space in parts too. */
const mistral: Recording = {
  adapter: 'openai-compatible',
  stream:
    chunks(
      MISTRAL,
      { delta: { role: 'assistant', content: '' }, finish_reason: null },
      { delta: { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Two ' }] }] }, finish_reason: null },
      {
        delta: { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'things.' }] }] },
        finish_reason: null,
      },
      { delta: { content: [{ type: 'text', text: 'Oui' }] }, finish_reason: null },
      { delta: { content: ', bien' }, finish_reason: null },
    ) +
    chunks(
      { ...MISTRAL, usage: { prompt_tokens: 12, total_tokens: 32, completion_tokens: 20 } },
      { delta: { content: '' }, finish_reason: 'stop' },
    ) +
    DONE,
  text: 'Oui, bien',
  reasoning: 'Two things.',
  result: { finishReason: 'stop', model: MISTRAL.model, usage: usage(12, 20) },
};

const XAI = { id: 'x1', object: 'chat.completion.chunk', created: 1, model: 'grok-4-0709', system_fingerprint: 'fp_x' };

/** Counts reasoning in addition to the completion. */
const xAi: Recording = {
  adapter: 'openai-compatible',
  stream:
    chunks(
      XAI,
      { delta: { reasoning_content: 'Thinking… ', role: 'assistant' } },
      { delta: { reasoning_content: 'Thinking…' } },
      { delta: { content: 'Forty', role: 'assistant' } },
      { delta: { content: '-two' }, finish_reason: 'stop' },
    ) +
    events({
      ...XAI,
      choices: [],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 3,
        total_tokens: 113,
        prompt_tokens_details: { text_tokens: 10, cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 100 },
      },
    }) +
    DONE,
  text: 'Forty-two',
  reasoning: 'Thinking… Thinking…',
  result: { finishReason: 'stop', model: XAI.model, usage: usage(10, 103, 4, 100) },
};

export const HOSTED = { openai, openaiRefusal, azure, openRouter, groq, mistral, xAi };
