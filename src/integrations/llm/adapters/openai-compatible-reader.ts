import type { ProviderUsage } from '../port/called-model';
import { type CompletionFinishReason, toProviderUsage } from '../port/language-model-provider';
import { LONGEST_JSON } from './answer-text';
import { JsonEnd } from './json-end';
import { isObject, type JsonObject, objectAt } from './json-object';
import { callsTool, hasMedia, reasoningOf, textOf } from './openai-message';
import { failureForAnswer } from './refusals/provider-failure';
import type { EmittedCall, ReplyEmitter } from './reply-emitter';
import { ReplyReader } from './reply-reader';

/** A call that is being read. It is passed on with its first argument, because its name may still grow until then. */
interface StreamedCall {
  id: string;
  name: string;
  arguments: string;
  end: JsonEnd;
  emitted: EmittedCall | null;
}

/** A part of a call. Missing members are empty, or null. */
interface Piece {
  index: number | null;
  id: string;
  name: string;
  text: string;
}

/**
 * Joins the pieces of calls. OpenAI numbers them and sends id and name once. Other servers omit the number or the id,
 * repeat both with every piece, number every call 0, number the arguments differently from the name, or send the
 * arguments first, a call whole, or arguments that are not text. A piece therefore belongs to the call with its id,
 * otherwise to the one with its number, otherwise to the last one, unless it begins another call.
 */
class OpenAiToolCalls {
  private readonly calls: StreamedCall[] = [];
  private readonly byId = new Map<string, StreamedCall>();
  private readonly byIndex = new Map<number, StreamedCall>();

  constructor(private readonly emitter: ReplyEmitter) {}

  /** `function_call` is the former name for the only call of a reply. */
  read({ tool_calls, function_call }: JsonObject): void {
    const pieces = Array.isArray(tool_calls) ? tool_calls.filter(isObject) : [];
    if (pieces.length === 0 && isObject(function_call)) {
      pieces.push({ index: 0, function: function_call });
    }
    pieces.forEach((piece) => this.readPiece(toPiece(piece)));
  }

  /** Passes on calls without arguments. */
  end(): void {
    for (const call of this.calls) {
      if (call.name === '' && call.arguments !== '') {
        throw failureForAnswer('A tool call has arguments and no name.');
      }
      this.emit(call);
    }
  }

  private readPiece(piece: Piece): void {
    const { name, text } = piece;
    const call = this.find(piece);
    if (name !== '' && call.name !== '' && call.end.isComplete) {
      // The piece repeats a complete call.
      this.emitter.activity();
      return;
    }
    if (call.emitted === null) {
      this.nameCall(call, piece);
    }
    call.arguments += text;
    call.end.add(text);
    if (call.emitted !== null) {
      call.emitted.add(text);
    } else if (call.name !== '' && call.arguments !== '') {
      this.emit(call);
    } else if (call.arguments.length > LONGEST_JSON) {
      throw failureForAnswer('A tool call has endless arguments and no name.');
    }
    if (text === '') {
      this.emitter.activity();
    }
  }

  private nameCall(call: StreamedCall, { id, name }: Piece): void {
    call.name = joinedName(call.name, name);
    if (call.id === '' && id !== '') {
      call.id = id;
      this.byId.set(id, call);
    }
  }

  private find(piece: Piece): StreamedCall {
    const { index, id } = piece;
    const numbered = index === null ? undefined : this.byIndex.get(index);
    const known = this.byId.get(id) ?? numbered ?? this.findByOrder(piece);
    const isElsewhere = index !== null && numbered !== known;
    const call = known === undefined || isAnother(piece, known, isElsewhere) ? this.add() : known;
    if (index !== null) {
      this.byIndex.set(index, call);
    }
    return call;
  }

  /** For a piece whose id and number no call has. */
  private findByOrder({ index, name, text }: Piece): StreamedCall | undefined {
    const last = this.calls.at(-1);
    if (index === null || last === undefined) {
      return last;
    }
    const isMissing = name === '' ? text !== '' && !last.end.isComplete : last.name === '';
    return isMissing ? last : undefined;
  }

  private add(): StreamedCall {
    const last = this.calls.at(-1);
    if (last !== undefined) {
      this.emit(last);
    }
    const call: StreamedCall = { id: '', name: '', arguments: '', end: new JsonEnd(), emitted: null };
    this.calls.push(call);
    return call;
  }

  private emit(call: StreamedCall): void {
    if (call.emitted === null && call.name !== '') {
      call.emitted = this.emitter.beginCall(call.id, call.name);
      call.emitted.add(call.arguments);
    }
  }
}

function toPiece(piece: JsonObject): Piece {
  const called = objectAt(piece, 'function');
  const { arguments: given } = called;
  return {
    index: typeof piece.index === 'number' ? piece.index : null,
    id: textIn(piece.id),
    name: textIn(called.name),
    text: isObject(given) ? JSON.stringify(given) : textIn(given),
  };
}

/**
 * Whether the piece starts a different call from the one that its id, number or position suggests.
 *
 * @param isElsewhere whether it has another number than that call
 */
function isAnother({ id, name, text }: Piece, call: StreamedCall, isElsewhere: boolean): boolean {
  if (name === '' || call.name === '') {
    return false;
  }
  if (id !== '' && call.id !== '' && id !== call.id) {
    return true;
  }
  const isNamed = id !== '' && id === call.id && !isElsewhere;
  if (call.end.isComplete) {
    // Some servers repeat the whole call at its end.
    return !isNamed || (text !== '' && text !== call.arguments);
  }
  // Before its arguments, the name may arrive in pieces.
  const mayGrow = !isElsewhere && call.arguments === '';
  return name !== call.name && !isNamed && !mayGrow;
}

/** A name arrives once, repeatedly, or in pieces. */
function joinedName(before: string, name: string): string {
  return name.startsWith(before) ? name || before : before + name;
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Finish reasons of replies that a server could not complete. */
const FAILURES = ['error', 'insufficient_system_resource', 'network_error'];

const FINISH_REASONS: Record<string, CompletionFinishReason> = {
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  content_filter: 'content_filter',
  refusal: 'content_filter',
  safety: 'content_filter',
  sensitive: 'content_filter',
};

/**
 * Reads the events of `/chat/completions`. A stream is complete at `[DONE]`, or if it ends after a finish reason. If it
 * ends without either, text is missing.
 */
export class OpenAiCompatibleReader extends ReplyReader {
  protected usage: ProviderUsage | null = null;

  private readonly calls = new OpenAiToolCalls(this.emitter);
  private isRefusal = false;
  /** Whether a part of the reply arrived as a delta. A whole message after it only repeats the reply. */
  private hasDelta = false;

  protected override read(chunk: JsonObject): void {
    this.readModel(chunk.model);
    this.readId(chunk.id);
    const first: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
    const choice = isObject(first) ? first : {};
    if (isObject(choice.error)) {
      // OpenRouter reports errors of the model's server here.
      this.readError(choice.error);
      return;
    }
    this.readUsage(usageIn(chunk, choice));
    this.readChoice(choice);
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') {
      this.readFinishReason(choice.finish_reason);
    }
  }

  protected override endCalls(): void {
    this.calls.end();
  }

  /** Some servers send usage with every chunk, so that an interrupted reply has it too. */
  private readUsage(usage: ProviderUsage | null): void {
    if (usage !== null && usage === largerUsage(this.usage, usage)) {
      this.usage = usage;
      this.listener.onUsage?.(usage);
    }
  }

  private readChoice({ delta, message }: JsonObject): void {
    if (isObject(delta)) {
      this.readMessage(delta);
      this.hasDelta ||= !this.emitter.isEmpty || callsTool(delta);
    }
    if (isObject(message) && !this.hasDelta) {
      this.readMessage(message);
    }
  }

  private readMessage(message: JsonObject): void {
    const reasoning = reasoningOf(message);
    this.emitter.reasoning(reasoning);
    this.emitter.text(textOf(message));
    this.emitter.hasMedia ||= hasMedia(message);
    this.isRefusal ||= typeof message.refusal === 'string' && message.refusal !== '';
    const isCall = callsTool(message);
    if (isCall && this.emitter.takesCalls) {
      this.calls.read(message);
      return;
    }
    this.emitter.callsTool ||= isCall;
    const { reasoning_details: details } = message;
    if (isCall || (reasoning === '' && Array.isArray(details) && details.length > 0)) {
      this.emitter.activity();
    }
  }

  private readFinishReason(reason: string): void {
    const name = reason.toLowerCase();
    if (FAILURES.includes(name)) {
      throw failureForAnswer(`The reply ended with the finish reason ${reason}.`, true);
    }
    this.emitter.callsTool ||= name === 'tool_calls' || name === 'function_call';
    // The text of a refusal does not follow the requested format. Anthropic's models report refusals by the finish
    // reason itself.
    const isRefused = this.isRefusal && !this.emitter.callsTool;
    this.finishReason = FINISH_REASONS[name] ?? (isRefused ? 'content_filter' : 'stop');
  }
}

/**
 * The usage in a chunk: next to the choices (OpenAI and most others), in `x_groq` (Groq), in the choice (Moonshot), or
 * in `timings` (llama.cpp). Null if the chunk has none.
 */
export function usageIn(chunk: JsonObject, choice: JsonObject): ProviderUsage | null {
  let largest: ProviderUsage | null = null;
  for (const place of [chunk.usage, objectAt(chunk, 'x_groq').usage, choice.usage]) {
    if (isObject(place)) {
      largest = largerUsage(largest, readUsage(place));
    }
  }
  return largest ?? timingsOf(objectAt(chunk, 'timings'));
}

/** The count with more tokens of two counts of one reply; if they are equal, the later one. */
function largerUsage(before: ProviderUsage | null, after: ProviderUsage | null): ProviderUsage | null {
  if (before === null || after === null) {
    return after ?? before;
  }
  return totalOf(after) < totalOf(before) ? before : after;
}

function totalOf({ prompt_tokens, completion_tokens }: ProviderUsage): number {
  return prompt_tokens + completion_tokens;
}

function readUsage(usage: JsonObject): ProviderUsage | null {
  const { reasoning_tokens } = objectAt(usage, 'completion_tokens_details');
  const details = objectAt(usage, 'prompt_tokens_details');
  // OpenAI and most others; DeepSeek; Moonshot; Anthropic behind a gateway.
  const cached =
    details.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens ?? usage.cache_read_input_tokens;
  // OpenRouter; gateways to Anthropic.
  const written = details.cache_write_tokens ?? details.cache_creation_tokens ?? usage.cache_creation_input_tokens;
  const { cache, reasoning } = excludedTokens(usage, countOf(cached) + countOf(written), countOf(reasoning_tokens));
  return toProviderUsage({
    prompt_tokens: plus(usage.prompt_tokens, cache),
    completion_tokens: plus(usage.completion_tokens, reasoning),
    cached_tokens: cached,
    cache_write_tokens: written,
    reasoning_tokens,
  });
}

/**
 * Tokens that prompt and completion do not include. OpenAI includes both; xAI counts reasoning separately from the
 * completion, and some gateways to Anthropic count the cache separately from the prompt. The total shows this, and so
 * does a cache that is larger than the prompt.
 */
function excludedTokens(
  { prompt_tokens, completion_tokens, total_tokens }: JsonObject,
  cache: number,
  reasoning: number,
): { cache: number; reasoning: number } {
  const prompt = countOf(prompt_tokens);
  const more = countOf(total_tokens) - prompt - countOf(completion_tokens);
  if (reasoning > 0 && more === reasoning) {
    return { cache: 0, reasoning };
  }
  if (cache > 0 && more === cache + reasoning) {
    return { cache, reasoning };
  }
  return { cache: cache > prompt || (cache > 0 && more === cache) ? cache : 0, reasoning: 0 };
}

/** 0 if the value is no number. The validation of the whole usage handles that case. */
function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

function plus(value: unknown, added: number): unknown {
  return typeof value === 'number' ? value + added : value;
}

/** `prompt_n` counts the new tokens of the prompt, `cache_n` those from the cache. */
function timingsOf({ prompt_n, cache_n, predicted_n }: JsonObject): ProviderUsage | null {
  return toProviderUsage({
    prompt_tokens: Number(prompt_n) + Number(cache_n ?? 0),
    completion_tokens: predicted_n,
    cached_tokens: cache_n,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
  });
}
