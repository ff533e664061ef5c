export const USER = { role: 'user', content: 'Hello' };
const CALL = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
const TOOL = { type: 'function', function: { name: 'f' } };

/** Bodies without a model, the code of the refusal and its parameter. */
export const COMPLETION_FAULTS: [body: object, code: string, param: string | null][] = [
  [{}, 'missing_required_parameter', 'messages'],
  [{ messages: null }, 'missing_required_parameter', 'messages'],
  [{ messages: 'Hello' }, 'invalid_type', 'messages'],
  [{ messages: [] }, 'invalid_value', 'messages'],
  [{ messages: ['Hello'] }, 'invalid_type', 'messages[0]'],
  [{ messages: [{}] }, 'missing_required_parameter', 'messages[0].role'],
  [{ messages: [{ role: 'function', name: 'f', content: 'x' }] }, 'invalid_value', 'messages[0].role'],
  [{ messages: [{ role: 'user' }] }, 'missing_required_parameter', 'messages[0].content'],
  [{ messages: [{ role: 'user', content: 7 }] }, 'invalid_type', 'messages[0].content'],
  [{ messages: [{ role: 'user', content: [] }] }, 'invalid_value', 'messages[0].content'],
  [{ messages: [{ role: 'user', content: ' ' }] }, 'invalid_value', 'messages[0].content'],
  [{ messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }, 'invalid_value', 'messages[0].content'],
  [{ messages: [{ role: 'user', content: [{ type: 'video' }] }] }, 'invalid_value', 'messages[0].content[0].type'],
  [{ messages: [{ role: 'user', content: 'a\0b' }] }, 'invalid_value', 'messages[0].content'],
  [
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image_url', image_url: {} },
          ],
        },
      ],
    },
    'missing_required_parameter',
    'messages[0].content[1].image_url.url',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x', detail: 'huge' } }] }] },
    'invalid_value',
    'messages[0].content[0].image_url.detail',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'nowhere' } }] }] },
    'file_unreadable',
    'messages[0].content[0].image_url.url',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://127.0.0.1:1/a.png' } }] }] },
    'file_url_forbidden',
    'messages[0].content[0].image_url.url',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'file', file: { filename: 'a.pdf' } }] }] },
    'missing_required_parameter',
    'messages[0].content[0].file.file_data',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
    'unsupported_parameter',
    'messages[0].content[0].file.file_id',
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
  [{ messages: [USER, { role: 'tool', content: 'x' }] }, 'missing_required_parameter', 'messages[1].tool_call_id'],
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
  [{ messages: [USER], temperature: 3 }, 'invalid_value', 'temperature'],
  [{ messages: [USER], temperature: 'hot' }, 'invalid_type', 'temperature'],
  [{ messages: [USER], top_p: -1 }, 'invalid_value', 'top_p'],
  [{ messages: [USER], max_tokens: 0 }, 'invalid_value', 'max_tokens'],
  [{ messages: [USER], max_completion_tokens: 1.5 }, 'invalid_type', 'max_completion_tokens'],
  [{ messages: [USER], stop: ['a', 'b', 'c', 'd', 'e'] }, 'invalid_value', 'stop'],
  [{ messages: [USER], stop: [7] }, 'invalid_type', 'stop[0]'],
  [{ messages: [USER], presence_penalty: 9 }, 'invalid_value', 'presence_penalty'],
  [{ messages: [USER], reasoning_effort: 'huge' }, 'invalid_value', 'reasoning_effort'],
  [{ messages: [USER], stream: 'yes' }, 'invalid_type', 'stream'],
  [{ messages: [USER], tools: [{}] }, 'missing_required_parameter', 'tools[0].type'],
  [{ messages: [USER], tools: [{ type: 'function' }] }, 'missing_required_parameter', 'tools[0].function'],
  [
    { messages: [USER], tools: [{ type: 'function', function: { name: 'a b' } }] },
    'invalid_value',
    'tools[0].function.name',
  ],
  [{ messages: [USER], tools: [{ type: 'custom', custom: {} }] }, 'missing_required_parameter', 'tools[0].custom.name'],
  [{ messages: [USER], tools: Array.from({ length: 129 }, () => TOOL) }, 'invalid_value', 'tools'],
  [{ messages: [USER], tools: [TOOL], tool_choice: 'maybe' }, 'invalid_value', 'tool_choice'],
  [
    { messages: [USER], tools: [TOOL], tool_choice: { type: 'function', function: { name: 'g' } } },
    'invalid_value',
    'tool_choice',
  ],
  [{ messages: [USER], tool_choice: 'required' }, 'invalid_value', 'tool_choice'],
  [{ messages: [USER], response_format: { type: 'xml' } }, 'invalid_value', 'response_format.type'],
  [
    { messages: [USER], response_format: { type: 'json_schema' } },
    'missing_required_parameter',
    'response_format.json_schema',
  ],
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
