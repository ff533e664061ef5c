export const USER = { role: 'user', content: 'Hello' };
const CALL = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
const TOOL = { type: 'function', function: { name: 'f' } };

/**
 * Bodies without a model, the code of the refusal and its parameter. Others break the schema:
 * `test/contract/refused/openai.spec.ts`.
 */
export const COMPLETION_FAULTS: [body: object, code: string, param: string | null][] = [
  [{}, 'missing_required_parameter', 'messages'],
  [{ messages: [{ role: 'user', content: [] }] }, 'invalid_value', 'messages[0].content'],
  [{ messages: [{ role: 'user', content: ' ' }] }, 'invalid_value', 'messages[0].content'],
  [{ messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }, 'invalid_value', 'messages[0].content'],
  [
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'nowhere' } }] }] },
    'file_unreadable',
    'messages[0].content[0].image_url.url',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'file', file: { filename: 'a.pdf' } }] }] },
    'missing_required_parameter',
    'messages[0].content[0].file.file_data',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: '', format: 'wav' } }] }] },
    'unsupported_parameter',
    'messages[0].content[0].input_audio',
  ],
  // Nothing to answer.
  [{ messages: [{ role: 'system', content: ' ' }] }, 'invalid_value', 'messages[0].content'],
  [{ messages: [{ role: 'assistant', content: 'Hello' }] }, 'invalid_value', 'messages'],
  [{ messages: [USER, { role: 'assistant', content: 'Hello' }] }, 'invalid_value', 'messages'],
  [{ messages: [USER, { role: 'assistant' }, USER] }, 'missing_required_parameter', 'messages[1].content'],
  // Calls and results that do not match.
  [{ messages: [{ role: 'tool', tool_call_id: 'c1', content: 'x' }] }, 'invalid_value', 'messages[0].tool_call_id'],
  [{ messages: [USER, { role: 'assistant', tool_calls: [CALL] }] }, 'invalid_value', 'messages[1].tool_calls'],
  [{ messages: [USER, { role: 'assistant', tool_calls: [CALL] }, USER] }, 'invalid_value', 'messages[1].tool_calls'],
  [
    {
      messages: [
        USER,
        { role: 'assistant', tool_calls: [CALL] },
        { role: 'tool', tool_call_id: 'c1', content: 'x' },
        { role: 'tool', tool_call_id: 'c1', content: 'again' },
      ],
    },
    'invalid_value',
    'messages[3].tool_call_id',
  ],
  [{ messages: [USER, { role: 'assistant', tool_calls: [CALL, CALL] }] }, 'invalid_value', 'messages[1].tool_calls'],
  [
    { messages: [USER, { role: 'assistant', content: null, function_call: { name: 'f' } }, USER] },
    'unsupported_parameter',
    'messages[1].function_call',
  ],
  // Invalid parameters.
  [
    { messages: [USER], tools: [TOOL], tool_choice: { type: 'function', function: { name: 'g' } } },
    'invalid_value',
    'tool_choice',
  ],
  [{ messages: [USER], tool_choice: 'required' }, 'invalid_value', 'tool_choice'],
  // Parameters that would change the answer if they were ignored.
  [{ messages: [USER], n: 2 }, 'unsupported_parameter', 'n'],
  [{ messages: [USER], logprobs: true }, 'unsupported_parameter', 'logprobs'],
  [{ messages: [USER], logit_bias: { 50256: -100 } }, 'unsupported_parameter', 'logit_bias'],
  [{ messages: [USER], modalities: ['text', 'audio'] }, 'unsupported_parameter', 'modalities'],
  [{ messages: [USER], audio: { voice: 'x', format: 'mp3' } }, 'unsupported_parameter', 'audio'],
  [{ messages: [USER], web_search_options: {} }, 'unsupported_parameter', 'web_search_options'],
  [{ messages: [USER], functions: [{ name: 'f' }] }, 'unsupported_parameter', 'functions'],
  [{ messages: [USER], function_call: 'auto' }, 'unsupported_parameter', 'function_call'],
];
