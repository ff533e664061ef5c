import { AnthropicMessage, readAnthropicEvent } from './anthropic-message';

describe('a message of Anthropic’s API', () => {
  it('grows with its events, and keeps unknown fields and blocks', () => {
    const message = new AnthropicMessage();
    const events: Record<string, unknown>[] = [
      { type: 'message_start', message: { id: 'msg_1', content: [], usage: { input_tokens: 3, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '', citations: [] } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'citations_delta', citation: { cited_text: 'x' } } },
      { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 't', name: 'n', input: {} } },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a":' } },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '1}' } },
      { type: 'content_block_stop', index: 2 },
      { type: 'content_block_start', index: 3, content_block: { type: 'new_block', data: 1 } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { input_tokens: null, output_tokens: 9 } },
    ];
    events.forEach((event) => message.add(event));
    expect(message.content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      { type: 'text', text: 'Hi', citations: [{ cited_text: 'x' }] },
      { type: 'tool_use', id: 't', name: 'n', input: { a: 1 } },
      { type: 'new_block', data: 1 },
    ]);
    expect(message.fields).toEqual({
      id: 'msg_1',
      stop_reason: 'tool_use',
      usage: { input_tokens: 3, output_tokens: 9 },
    });
  });

  it.each([
    ['event: ping\ndata: {"type":"ping"}\n\n', { type: 'ping' }],
    ['data: {"type":\r\ndata: "ping"}\r\n\r\n', { type: 'ping' }],
    ['{"type":"message"}', { type: 'message' }],
    [': comment\n\n', null],
    ['data: [1]\n\n', null],
  ])('is read from %j', (text, expected) => {
    expect(readAnthropicEvent(text)).toEqual(expected);
  });
});
