import type { ModelScript } from './model-server/model-server';

/** An event of a scripted Anthropic provider. */
type ScriptedEvent = Record<string, unknown> & { type: string };

/** The events of a block with its deltas. */
export const scriptedBlock = (index: number, block: object, ...deltas: object[]): ScriptedEvent[] => [
  { type: 'content_block_start', index, content_block: block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];

export const scriptedText = (index: number, text: string): ScriptedEvent[] =>
  scriptedBlock(index, { type: 'text', text: '' }, { type: 'text_delta', text });

export const scriptedThinking = (index: number, thinking: string, signature: string): ScriptedEvent[] =>
  scriptedBlock(
    index,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking },
    { type: 'signature_delta', signature },
  );

export const scriptedCall = (index: number, id: string, name: string, input: object): ScriptedEvent[] =>
  scriptedBlock(
    index,
    { type: 'tool_use', id, name, input: {} },
    { type: 'input_json_delta', partial_json: JSON.stringify(input) },
  );

/** All events of a streamed message. */
export function scriptedEvents(blocks: ScriptedEvent[], stop_reason: string, id = 'msg_provider'): ScriptedEvent[] {
  const usage = { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 };
  const message = { id, type: 'message', role: 'assistant', model: 'claude-real', content: [], usage };
  return [
    { type: 'message_start', message: { ...message, stop_reason: null, unknown_field: 1 } },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } },
    { type: 'message_stop' },
  ];
}

export const sentText = (events: ScriptedEvent[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

/** A provider that sends exactly these events. */
export const scriptedStream = (events: ScriptedEvent[]): Partial<ModelScript> => ({
  bare: true,
  unfinished: true,
  steps: [{ raw: sentText(events) }],
});
