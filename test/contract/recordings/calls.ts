import { block, named, start } from './anthropic';
import { chunks, DONE, events, type Recording, usage } from './recording';

/** A delta of an unfinished choice. */
function going(delta: object): object {
  return { delta, finish_reason: null };
}

function begun(index: number, id: string, name: string): object {
  return going({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
}

function piece(index: number, text: string): object {
  return going({ tool_calls: [{ index, function: { arguments: text } }] });
}

const OPENAI = { id: 'chatcmpl-C', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o-2024-08-06' };

/** Two concurrent calls: id and name of each, then its arguments in pieces. */
const openAi: Recording = {
  adapter: 'openai-compatible',
  stream:
    chunks(
      OPENAI,
      going({ role: 'assistant', content: null, refusal: null }),
      begun(0, 'call_DdmO9pD3xa9', 'get_weather'),
      piece(0, '{"ci'),
      piece(0, 'ty": "Zür'),
      piece(0, 'ich"}'),
      begun(1, 'call_ABCDfE4n', 'get_time'),
      piece(1, '{"zone": "CET"'),
      piece(1, '}'),
      { delta: {}, finish_reason: 'tool_calls' },
    ) +
    events({ ...OPENAI, choices: [], usage: { prompt_tokens: 81, completion_tokens: 45, total_tokens: 126 } }) +
    DONE,
  text: '',
  reasoning: '',
  calls: [
    { id: 'call_DdmO9pD3xa9', name: 'get_weather', arguments: '{"city": "Zürich"}' },
    { id: 'call_ABCDfE4n', name: 'get_time', arguments: '{"zone": "CET"}' },
  ],
  result: { finishReason: 'tool_calls', model: OPENAI.model, usage: usage(81, 45) },
};

const GEMINI = { object: 'chat.completion.chunk', created: 1, model: 'gemini-3-flash-preview' };

/** Complete calls without an index, a reasoning signature next to the first, and `stop` at the end. */
const gemini: Recording = {
  adapter: 'openai-compatible',
  stream:
    chunks(
      GEMINI,
      going({
        role: 'assistant',
        tool_calls: [
          {
            extra_content: { google: { thought_signature: 'EjQKMgEMOdbHJChLX75QUCJjyYlm' } },
            function: { arguments: '{"city":"Paris"}', name: 'get_weather' },
            id: 'jm4owj31',
            type: 'function',
          },
        ],
      }),
      going({
        role: 'assistant',
        tool_calls: [{ function: { arguments: '{"city":"Rome"}', name: 'get_weather' }, id: 'k2x8', type: 'function' }],
      }),
      { delta: { role: 'assistant', content: '' }, finish_reason: 'stop' },
    ) + DONE,
  text: '',
  reasoning: '',
  calls: [
    { id: 'jm4owj31', name: 'get_weather', arguments: '{"city":"Paris"}' },
    { id: 'k2x8', name: 'get_weather', arguments: '{"city":"Rome"}' },
  ],
  result: { finishReason: 'tool_calls', model: GEMINI.model, usage: null },
};

const OLLAMA = { id: 'chatcmpl-2', object: 'chat.completion.chunk', created: 1, model: 'qwen3:8b' };

/** Reasoning, then a complete call in a chunk with empty content; each chunk repeats the role. */
const ollama: Recording = {
  adapter: 'openai-compatible',
  stream:
    chunks(
      OLLAMA,
      going({ role: 'assistant', content: '', reasoning: 'The weather.' }),
      going({
        role: 'assistant',
        content: '',
        tool_calls: [
          {
            id: 'call_8xmzg1ga',
            index: 0,
            type: 'function',
            function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
          },
        ],
      }),
      { delta: { role: 'assistant', content: '' }, finish_reason: 'tool_calls' },
    ) + DONE,
  text: '',
  reasoning: 'The weather.',
  calls: [{ id: 'call_8xmzg1ga', name: 'get_weather', arguments: '{"city":"Paris"}' }],
  result: { finishReason: 'tool_calls', model: OLLAMA.model, usage: null },
};

const DEEPSEEK = { id: 'd1', object: 'chat.completion.chunk', created: 1, model: 'deepseek-v4-flash' };

/** Reasoning in its own field, and blank lines before the call. */
const deepSeek: Recording = {
  adapter: 'openai-compatible',
  stream:
    ': keep-alive\n\n' +
    chunks(
      DEEPSEEK,
      going({ role: 'assistant', content: null, reasoning_content: '' }),
      going({ content: null, reasoning_content: 'I need the weather.' }),
      going({ content: '\n\n', reasoning_content: null }),
      begun(0, 'call_00_9nLf', 'get_weather'),
      piece(0, '{"city"'),
      piece(0, ': "Paris"}'),
      { delta: { content: '' }, finish_reason: 'tool_calls' },
    ) +
    DONE,
  text: '',
  reasoning: 'I need the weather.',
  calls: [{ id: 'call_00_9nLf', name: 'get_weather', arguments: '{"city": "Paris"}' }],
  result: { finishReason: 'tool_calls', model: DEEPSEEK.model, usage: null },
};

const CLAUDE = 'claude-sonnet-4-5-20250929';

function json(...pieces: string[]): object[] {
  return pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
}

/** Text, a function without arguments, and one with. */
const anthropic: Recording = {
  adapter: 'anthropic',
  stream:
    start(CLAUDE, { input_tokens: 472, output_tokens: 2 }) +
    block(
      0,
      { type: 'text', text: '' },
      { type: 'text_delta', text: 'Let me check' },
      { type: 'text_delta', text: ' that.' },
    ) +
    block(1, { type: 'tool_use', id: 'toolu_01T1x1', name: 'now', input: {} }, ...json('')) +
    block(
      2,
      { type: 'tool_use', id: 'toolu_01T1x2', name: 'get_weather', input: {} },
      ...json('', '{"city": "San', ' Francisc', 'o, CA"}'),
    ) +
    named(
      { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 89 } },
      { type: 'message_stop' },
    ),
  text: 'Let me check that.',
  reasoning: '',
  calls: [
    { id: 'toolu_01T1x1', name: 'now', arguments: '{}' },
    { id: 'toolu_01T1x2', name: 'get_weather', arguments: '{"city": "San Francisco, CA"}' },
  ],
  result: { finishReason: 'tool_calls', model: CLAUDE, usage: usage(472, 89) },
};

export const CALLS: Record<string, Recording> = {
  openAiCalls: openAi,
  geminiCalls: gemini,
  ollamaCall: ollama,
  deepSeekCall: deepSeek,
  anthropicCalls: anthropic,
};
