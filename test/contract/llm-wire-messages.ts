import type { ModelMessage } from '../../src/integrations/llm/port/language-model-provider';
import { binary, call, PIXEL_BASE64, result, text, turn } from './llm-turns';

function assistant(content: string): ModelMessage {
  return { role: 'assistant', content };
}

/** Messages with parts, and their wire format. */
export const WIRE_MESSAGES: [string, ModelMessage[], { openai: unknown[]; anthropic: unknown[] }][] = [
  [
    'an image among words',
    [
      turn('user', text('What is'), binary('image', 'image/png', { detail: 'low' }), text('this?')),
      assistant('A cat.'),
    ],
    {
      openai: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL_BASE64}`, detail: 'low' } },
            { type: 'text', text: 'this?' },
          ],
        },
        { role: 'assistant', content: 'A cat.' },
      ],
      anthropic: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL_BASE64 } },
            { type: 'text', text: 'this?' },
          ],
        },
        { role: 'assistant', content: 'A cat.' },
      ],
    },
  ],
  [
    'a document',
    [turn('user', binary('file', 'application/pdf', { name: 'a.pdf' })), assistant('Read.')],
    {
      openai: [
        {
          role: 'user',
          content: [
            { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PIXEL_BASE64}` } },
          ],
        },
        { role: 'assistant', content: 'Read.' },
      ],
      anthropic: [
        {
          role: 'user',
          content: [
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: PIXEL_BASE64 },
              title: 'a.pdf',
            },
          ],
        },
        { role: 'assistant', content: 'Read.' },
      ],
    },
  ],
  [
    'a text file without a name',
    [turn('user', binary('file', 'text/csv', { data: Buffer.from('ä,1') })), assistant('Read.')],
    {
      openai: [
        {
          role: 'user',
          content: [{ type: 'file', file: { filename: 'file', file_data: 'data:text/csv;base64,w6QsMQ==' } }],
        },
        { role: 'assistant', content: 'Read.' },
      ],
      anthropic: [
        {
          role: 'user',
          content: [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'ä,1' } }],
        },
        { role: 'assistant', content: 'Read.' },
      ],
    },
  ],
  [
    'a round of tools, results before words, and no reasoning',
    [
      { role: 'user', content: 'Weather?' },
      turn('assistant', { type: 'reasoning', text: 'Hm.' }, text('Let me see.'), call('c1'), call('c.2', '')),
      turn('user', text('Well?'), result('c.2', ''), result('c1')),
      assistant('It rains.'),
    ],
    {
      openai: [
        { role: 'user', content: 'Weather?' },
        {
          role: 'assistant',
          content: 'Let me see.',
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
            { id: 'c.2', type: 'function', function: { name: 'get_weather', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c.2', content: '' },
        { role: 'tool', tool_call_id: 'c1', content: 'rain' },
        { role: 'user', content: 'Well?' },
        { role: 'assistant', content: 'It rains.' },
      ],
      anthropic: [
        { role: 'user', content: 'Weather?' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me see.' },
            { type: 'tool_use', id: 'c1', name: 'get_weather', input: { city: 'Paris' } },
            { type: 'tool_use', id: 'c_2', name: 'get_weather', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c_2' },
            { type: 'tool_result', tool_use_id: 'c1', content: 'rain' },
            { type: 'text', text: 'Well?' },
          ],
        },
        { role: 'assistant', content: 'It rains.' },
      ],
    },
  ],
  [
    'calls and results that come as a turn each',
    [
      { role: 'user', content: 'Weather?' },
      turn('assistant', call('c1', '[1]')),
      turn('assistant', call('c2', '{"city')),
      turn('user', result('c1')),
      turn('user', result('c2', 'sun')),
      assistant('It rains.'),
    ],
    {
      openai: [
        { role: 'user', content: 'Weather?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"INVALID_JSON":"[1]"}' } },
            {
              id: 'c2',
              type: 'function',
              function: { name: 'get_weather', arguments: '{"INVALID_JSON":"{\\"city"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'rain' },
        { role: 'tool', tool_call_id: 'c2', content: 'sun' },
        { role: 'assistant', content: 'It rains.' },
      ],
      anthropic: [
        { role: 'user', content: 'Weather?' },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'c1', name: 'get_weather', input: { INVALID_JSON: '[1]' } },
            { type: 'tool_use', id: 'c2', name: 'get_weather', input: { INVALID_JSON: '{"city' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', content: 'rain' },
            { type: 'tool_result', tool_use_id: 'c2', content: 'sun' },
          ],
        },
        { role: 'assistant', content: 'It rains.' },
      ],
    },
  ],
  [
    'an image that a call returned',
    [
      { role: 'user', content: 'Show me.' },
      turn('assistant', call('c1'), call('c2')),
      turn('user', result('c1'), binary('image', 'image/png', { call_id: 'c1' }), result('c2', '')),
      assistant('A cat.'),
    ],
    {
      openai: [
        { role: 'user', content: 'Show me.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: ['c1', 'c2'].map((id) => ({
            id,
            type: 'function',
            function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
          })),
        },
        { role: 'tool', tool_call_id: 'c1', content: 'rain' },
        { role: 'tool', tool_call_id: 'c2', content: '' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Result of c1:' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL_BASE64}` } },
          ],
        },
        { role: 'assistant', content: 'A cat.' },
      ],
      anthropic: [
        { role: 'user', content: 'Show me.' },
        {
          role: 'assistant',
          content: ['c1', 'c2'].map((id) => ({ type: 'tool_use', id, name: 'get_weather', input: { city: 'Paris' } })),
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'c1',
              content: [
                { type: 'text', text: 'rain' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL_BASE64 } },
              ],
            },
            { type: 'tool_result', tool_use_id: 'c2' },
          ],
        },
        { role: 'assistant', content: 'A cat.' },
      ],
    },
  ],
];
