/** Tokens of each type, without overlap. */
export interface Counts {
  input: number;
  cached: number;
  written: number;
  output: number;
  reasoning: number;
}

/** The sent parts of a reply: its first tokens, and its end. */
export interface Wire {
  begin: string;
  end: string;
}

export function openAiWire(model: string, usage: Counts, isCounted: boolean): Wire {
  const event = (data: object): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model, ...data })}\n\n`;
  const delta = (content: string): string =>
    event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
  const end = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  return {
    begin: delta('Hel') + delta('lo'),
    end: `${end}${isCounted ? event({ choices: [], usage: toWire(usage) }) : ''}data: [DONE]\n\n`,
  };
}

/** Anthropic: cache tokens are separate from the others, and thinking counts as output. */
export function anthropicWire(model: string, usage: Counts): Wire {
  const event = (type: string, data: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  const { input, cached, written, output } = usage;
  const told = { input_tokens: input, cache_read_input_tokens: cached, cache_creation_input_tokens: written };
  const block = { index: 0, content_block: { type: 'text', text: '' } };
  return {
    begin:
      event('message_start', { message: { id: 'm', role: 'assistant', model, usage: { ...told, output_tokens: 1 } } }) +
      event('content_block_start', block) +
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hello' } }),
    end:
      event('content_block_stop', { index: 0 }) +
      event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: output } }) +
      event('message_stop', {}),
  };
}

/** OpenAI includes everything in prompt and completion. */
function toWire({ input, cached, written, output, reasoning }: Counts): object {
  const prompt_tokens = input + cached + written;
  const completion_tokens = output + reasoning;
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
