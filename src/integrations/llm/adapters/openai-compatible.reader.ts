import type { EventSourceMessage } from 'eventsource-parser';
import type { CompletionFinishReason, CompletionListener, CompletionResult } from '../language-model-provider';
import { toProviderUsage, type ProviderUsage } from '../provider-usage';
import { isObject, objectAt, type EventStreamReader, type JsonObject } from './event-stream.reader';
import { failureForAnswer, failureInStream } from './provider-failure';
import { WellFormedTextEmitter } from './well-formed-text.emitter';

/**
 * Reads the events of `/chat/completions`. A stream is complete at `[DONE]`, or when it ends after a finish reason;
 * ending without either means that text is missing.
 */
export class OpenAiCompatibleReader implements EventStreamReader {
  isComplete = false;

  private readonly emitter: WellFormedTextEmitter;
  private finishReason: CompletionFinishReason | null = null;
  private usage: ProviderUsage | null = null;

  constructor(
    listener: CompletionListener,
    private model: string,
  ) {
    this.emitter = new WellFormedTextEmitter(listener);
  }

  get result(): CompletionResult {
    return { finishReason: this.finishReason ?? 'stop', usage: this.usage, model: this.model };
  }

  onEvent({ data }: EventSourceMessage): void {
    if (data === '[DONE]') {
      this.isComplete = true;
    } else if (data.trim() !== '') {
      this.readChunk(parseChunk(data));
    }
  }

  onEnd(): void {
    if (!this.isComplete && this.finishReason === null) {
      throw failureForAnswer('The stream ended before the reply did.', true);
    }
    this.emitter.end();
  }

  private readChunk(chunk: JsonObject): void {
    if (chunk.error !== undefined && chunk.error !== null) {
      throw toFailure(chunk.error);
    }
    if (typeof chunk.model === 'string' && chunk.model !== '') {
      this.model = chunk.model;
    }
    if (isObject(chunk.usage)) {
      this.usage = readUsage(chunk.usage);
    }
    const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
    if (isObject(choice)) {
      this.readDelta(objectAt(choice, 'delta'));
      if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') {
        this.finishReason = toFinishReason(choice.finish_reason);
      }
    }
  }

  private readDelta(delta: JsonObject): void {
    const text = typeof delta.content === 'string' ? delta.content : joinParts(delta.content);
    if (text !== '') {
      this.emitter.emit(text);
    } else {
      const reasoning = delta.reasoning_content ?? delta.reasoning;
      if (typeof reasoning === 'string' && reasoning !== '') {
        this.emitter.reason(reasoning);
      }
    }
  }
}

function parseChunk(data: string): JsonObject {
  let chunk: unknown;
  try {
    chunk = JSON.parse(data);
  } catch {
    chunk = undefined;
  }
  if (!isObject(chunk)) {
    throw failureForAnswer(`An event is not a JSON object: ${data}`);
  }
  return chunk;
}

/** Some servers send content as a list of typed parts. */
function joinParts(content: unknown): string {
  if (!Array.isArray(content)) {
    return '';
  }
  return content.map((part: unknown) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('');
}

function readUsage(usage: JsonObject): ProviderUsage | null {
  const { reasoning_tokens } = objectAt(usage, 'completion_tokens_details');
  return toProviderUsage({
    prompt_tokens: usage.prompt_tokens,
    completion_tokens: withReasoning(usage, reasoning_tokens),
    cached_tokens: objectAt(usage, 'prompt_tokens_details').cached_tokens,
    reasoning_tokens,
  });
}

/** Some servers count reasoning beside the completion instead of within it; their total tells. */
function withReasoning({ prompt_tokens, completion_tokens, total_tokens }: JsonObject, reasoning: unknown): unknown {
  if (typeof prompt_tokens !== 'number' || typeof completion_tokens !== 'number' || typeof reasoning !== 'number') {
    return completion_tokens;
  }
  const sum = completion_tokens + reasoning;
  return total_tokens === prompt_tokens + sum ? sum : completion_tokens;
}

function toFinishReason(reason: string): CompletionFinishReason {
  if (reason === 'length' || reason === 'max_tokens') {
    return 'length';
  }
  return reason === 'content_filter' ? 'content_filter' : 'stop';
}

function toFailure(error: unknown): Error {
  const text = JSON.stringify(error);
  const status = isObject(error) ? Number(error.code ?? error.status) : NaN;
  return Number.isInteger(status) && status >= 400 && status <= 599
    ? failureInStream(status, text)
    : failureForAnswer(`An error in the stream: ${text}`, true);
}
