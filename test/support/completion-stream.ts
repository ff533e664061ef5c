import type { ChatCompletionDto } from '../../src/modules/openai/completions/completion.dto';
import type { CompletionUsageDto } from '../../src/modules/openai/completions/completion-usage.dto';
import type { OpenAiErrorBody } from '../../src/modules/openai/errors/openai-error-body';
import { call, type CallOptions } from './http';

/** A chunk of a streamed completion, or an error instead. */
export interface CompletionChunk extends Partial<OpenAiErrorBody> {
  id: string;
  object: 'chat.completion.chunk';
  created: number;
  model: string;
  system_fingerprint: null;
  choices: { index: number; delta: CompletionDelta; logprobs: null; finish_reason: string | null }[];
  usage?: CompletionUsageDto | null;
}

export interface CompletionDelta {
  role?: 'assistant';
  content?: string;
  refusal?: null;
  reasoning_content?: string;
  tool_calls?: {
    index: number;
    id?: string;
    type?: string;
    function: { name?: string; arguments: string };
    custom?: { name?: string; input: string };
  }[];
}

/** The data of all events, with the end mark as text. */
export function chunksOf(text: string): { chunks: CompletionChunk[]; isDone: boolean } {
  const events = text.split('\n\n').filter((event) => event.startsWith('data: '));
  const data = events.map((event) => event.slice('data: '.length));
  const isDone = data.at(-1) === '[DONE]';
  return { chunks: data.slice(0, isDone ? -1 : undefined).map((one) => JSON.parse(one) as CompletionChunk), isDone };
}

/** The result of the deltas. */
export function joined(chunks: readonly CompletionChunk[]): {
  content: string;
  reasoning: string;
  finish: string | null;
} {
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  return {
    content: deltas.map(({ content = '' }) => content).join(''),
    reasoning: deltas.map(({ reasoning_content = '' }) => reasoning_content).join(''),
    finish: chunks.flatMap(({ choices }) => choices.map(({ finish_reason }) => finish_reason)).find(Boolean) ?? null,
  };
}

/** Calls of POST /openai/v1/chat/completions for one caller. */
export class CompletionCaller {
  constructor(
    private readonly origin: string,
    readonly token: string,
  ) {}

  get url(): string {
    return `${this.origin}/openai/v1/chat/completions`;
  }

  complete(body: object, options: CallOptions = {}) {
    return call<ChatCompletionDto>(this.url, { token: this.token, body, ...options });
  }

  async stream(body: object, options: CallOptions = {}) {
    const answer = await this.complete({ stream: true, ...body }, options);
    return { ...answer, ...chunksOf(answer.text) };
  }
}
