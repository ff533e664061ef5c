import { chunks, DONE, events, type Recording, usage } from './recording';

const OLLAMA = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-oss:20b' };

/** Sends the role with every chunk. */
const ollama: Recording = {
  adapter: 'openai-compatible',
  stream:
    chunks(
      { ...OLLAMA, system_fingerprint: 'fp_ollama' },
      { delta: { role: 'assistant', content: '', reasoning: 'The user' }, finish_reason: null },
      { delta: { role: 'assistant', content: '', reasoning: ' greets.' }, finish_reason: null },
      { delta: { role: 'assistant', content: 'Hello' }, finish_reason: null },
      { delta: { role: 'assistant', content: '' }, finish_reason: 'stop' },
    ) +
    events({ ...OLLAMA, choices: [], usage: { prompt_tokens: 68, completion_tokens: 40, total_tokens: 108 } }) +
    DONE,
  text: 'Hello',
  reasoning: 'The user greets.',
  result: { finishReason: 'stop', model: OLLAMA.model, usage: usage(68, 40) },
};

/** A model whose server does not separate reasoning from its text. */
const ollamaThinkTags: Recording = {
  adapter: 'openai-compatible',
  stream:
    chunks(
      OLLAMA,
      ...['<th', 'ink>', '\nSo 1 < 2 </', 'th', 'at', '</thi', 'nk', '>\n', '\nYes, ', '<think> is a tag.'].map(
        (content) => ({
          delta: { role: 'assistant', content },
          finish_reason: null,
        }),
      ),
      { delta: { role: 'assistant', content: '' }, finish_reason: 'stop' },
    ) + DONE,
  text: 'Yes, <think> is a tag.',
  reasoning: '\nSo 1 < 2 </that',
  result: { finishReason: 'stop', model: OLLAMA.model, usage: null },
};

const VLLM = { id: 'chatcmpl-v', object: 'chat.completion.chunk', created: 1, model: 'Qwen/Qwen3-8B' };

function counted(completion_tokens: number) {
  return { ...VLLM, usage: { prompt_tokens: 5, total_tokens: 5 + completion_tokens, completion_tokens } };
}

/** Cumulative usage in every chunk, and the same reasoning under two names. */
const vllm: Recording = {
  adapter: 'openai-compatible',
  stream:
    chunks(counted(0), { delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null }) +
    chunks(counted(1), { delta: { reasoning: 'Ok', reasoning_content: 'Ok' }, logprobs: null, finish_reason: null }) +
    chunks(counted(2), { delta: { content: 'नम' }, logprobs: null, finish_reason: null }) +
    chunks(counted(3), { delta: { content: 'स्ते' }, logprobs: null, finish_reason: 'length', stop_reason: null }) +
    events({ ...counted(3), choices: [] }) +
    DONE,
  text: 'नमस्ते',
  reasoning: 'Ok',
  result: { finishReason: 'length', model: VLLM.model, usage: usage(5, 3) },
};

const LLAMA = { id: 'chatcmpl-l', object: 'chat.completion.chunk', created: 1, model: 'qwen2.5-7b.gguf' };

/** Timings instead of usage, and no end mark: older versions close the connection instead. */
const llamaCpp: Recording = {
  adapter: 'openai-compatible',
  stream: chunks(
    { ...LLAMA, system_fingerprint: 'b5000' },
    { finish_reason: null, delta: { role: 'assistant', content: null } },
    { finish_reason: null, delta: { content: 'Привет' } },
  ).concat(
    events({
      ...LLAMA,
      choices: [{ index: 0, finish_reason: 'stop', delta: {} }],
      timings: { cache_n: 236, prompt_n: 4, prompt_ms: 30.9, predicted_n: 35, predicted_ms: 661.1 },
    }),
  ),
  text: 'Привет',
  reasoning: '',
  result: { finishReason: 'stop', model: LLAMA.model, usage: usage(240, 35, 236) },
};

export const LOCAL = { ollama, ollamaThinkTags, vllm, llamaCpp };
