import { refuseOpenAiBody } from '../../support/refused-requests';

const USER = { role: 'user', content: 'Hello' };
const TOOL = { type: 'function', function: { name: 'f' } };

describe('POST /openai/v1/chat/completions', () => {
  it.each<[body: object, code: string, param: string]>([
    [{}, 'missing_required_parameter', 'messages'],
    [{ messages: null }, 'missing_required_parameter', 'messages'],
    [{ messages: 'Hello' }, 'invalid_type', 'messages'],
    [{ messages: [] }, 'invalid_value', 'messages'],
    [{ messages: ['Hello'] }, 'invalid_type', 'messages[0]'],
    [{ messages: [{}] }, 'missing_required_parameter', 'messages[0].role'],
    [{ messages: [{ role: 'function', name: 'f', content: 'x' }] }, 'invalid_value', 'messages[0].role'],
    [{ messages: [{ role: 'user' }] }, 'missing_required_parameter', 'messages[0].content'],
    [{ messages: [{ role: 'user', content: 7 }] }, 'invalid_type', 'messages[0].content'],
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
    // Calls and results that do not match.
    [{ messages: [USER, { role: 'tool', content: 'x' }] }, 'missing_required_parameter', 'messages[1].tool_call_id'],
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
    [
      { messages: [USER], tools: [{ type: 'custom', custom: {} }] },
      'missing_required_parameter',
      'tools[0].custom.name',
    ],
    [{ messages: [USER], tools: Array.from({ length: 129 }, () => TOOL) }, 'invalid_value', 'tools'],
    [{ messages: [USER], tools: [TOOL], tool_choice: 'maybe' }, 'invalid_value', 'tool_choice'],
    [{ messages: [USER], response_format: { type: 'xml' } }, 'invalid_value', 'response_format.type'],
    [
      { messages: [USER], response_format: { type: 'json_schema' } },
      'missing_required_parameter',
      'response_format.json_schema',
    ],
  ])('refuses %j', async (body, code, param) => {
    for (const stream of 'stream' in body ? [undefined] : [false, true]) {
      const sent = { model: 'a-model', ...(stream !== undefined && { stream }), ...body };
      expect(await refuseOpenAiBody('POST /openai/v1/chat/completions', sent)).toEqual({ code, param });
    }
  });
});

describe('POST /openai/v1/conversations', () => {
  it.each([
    [{ metadata: { a: 1 } }, 'metadata.a', 'invalid_type'],
    [{ metadata: { a: 'x'.repeat(513) } }, 'metadata.a', 'string_above_max_length'],
    [
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_v, i) => [`k${i}`, ''])) },
      'metadata',
      'invalid_value',
    ],
    [{ items: 'x' }, 'items', 'invalid_type'],
    [{ items: [{ type: 'compaction' }] }, 'items[0].encrypted_content', 'missing_required_parameter'],
  ])('refuses %j', async (body, param, code) => {
    expect(await refuseOpenAiBody('POST /openai/v1/conversations', body)).toEqual({ code, param });
  });
});
