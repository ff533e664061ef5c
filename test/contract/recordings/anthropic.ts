import { type Recording, usage } from './recording';

export function named(...data: { type: string; [key: string]: unknown }[]): string {
  return data.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

export function block(index: number, content_block: object, ...deltas: object[]): string {
  return named(
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  );
}

export function start(model: string, counts: object): string {
  const message = { id: 'msg_01', type: 'message', role: 'assistant', model, content: [], stop_reason: null };
  return named({ type: 'message_start', message: { ...message, usage: counts } });
}

const MODEL = 'claude-sonnet-4-5-20250929';

/** Signed reasoning, redacted reasoning, then the reply. */
const thinking: Recording = {
  adapter: 'anthropic',
  stream:
    start(MODEL, {
      input_tokens: 10,
      cache_creation_input_tokens: 2,
      cache_read_input_tokens: 30,
      output_tokens: 1,
      service_tier: 'standard',
    }) +
    named({ type: 'ping' }) +
    block(
      0,
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'Was heißt ' },
      { type: 'thinking_delta', thinking: '»Grüße«?' },
      { type: 'signature_delta', signature: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3h' },
    ) +
    block(1, { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyIwxtE3rAFBa8cr3qpP' }) +
    block(
      2,
      { type: 'text', text: '' },
      { type: 'text_delta', text: 'Greet' },
      { type: 'text_delta', text: 'ings 🖖' },
    ) +
    named(
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 90, output_tokens_details: { thinking_tokens: 70 }, cache_read_input_tokens: null },
      },
      { type: 'message_stop' },
    ),
  text: 'Greetings 🖖',
  reasoning: 'Was heißt »Grüße«?',
  result: { finishReason: 'stop', model: MODEL, usage: usage(42, 90, 30, 70, 2) },
};

/** Filtered in the middle, with unknown event types. */
const refusal: Recording = {
  adapter: 'anthropic',
  stream:
    start(MODEL, { input_tokens: 8, output_tokens: 1 }) +
    block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'First,' }) +
    named(
      { type: 'something_new', value: 1 },
      { type: 'message_delta', delta: { stop_reason: 'refusal', stop_sequence: null }, usage: { output_tokens: 3 } },
      { type: 'message_stop' },
    ),
  text: 'First,',
  reasoning: '',
  result: { finishReason: 'content_filter', model: MODEL, usage: usage(8, 3) },
};

/** A server in Anthropic's format that counts only at the end and fills its blocks at their start. */
const compatible: Recording = {
  adapter: 'anthropic',
  stream:
    start('MiniMax-M2', { input_tokens: 0, output_tokens: 0 }) +
    block(0, { type: 'thinking', thinking: 'Well.' }) +
    block(1, { type: 'text', text: 'Da' }, { type: 'text_delta', text: ', gern' }) +
    named(
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { input_tokens: 52, output_tokens: 9 } },
      { type: 'message_stop' },
    ),
  text: 'Da, gern',
  reasoning: 'Well.',
  result: { finishReason: 'length', model: 'MiniMax-M2', usage: usage(52, 9) },
};

export const ANTHROPIC = { anthropicThinking: thinking, anthropicRefusal: refusal, anthropicCompatible: compatible };
