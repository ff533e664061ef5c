import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { TokenCounter } from '../counting/token-counter';
import {
  type CompletionListener,
  type CompletionRequest,
  type CompletionResult,
  LanguageModelProvider,
  type ModelMessage,
  type ModelParameters,
} from '../port/language-model-provider';
import { GenerationAbortedError } from '../port/llm.errors';
import type { MessagePart, ModelFeature } from '../port/message-parts';
import { demoReply, demoToolReply } from './demo-replies';
import { isObject } from './json-object';

/** Pause between two words: long enough to see that the reply is streamed. */
const WORD_MILLISECONDS = 2;

/** Most ends of a JSON object that are tried after a name. Each is parsed, so the text is short too. */
const MOST_ENDS = 20;

/** Longest text after a name that is read, in characters. */
const LONGEST_ARGUMENTS = 4_096;

/** A call of a function that the message names. */
interface NamedCall {
  name: string;
  /** JSON. */
  arguments: string;
}

/**
 * Replies without a network, so that people can try the service before they configure a model. The reply says so. The
 * provider calls the functions that a message names, with the JSON object after the name:
 * `call ticket_create with {"title": "Printer"}`.
 */
export class DemoProvider extends LanguageModelProvider {
  readonly isConfigured = true;
  readonly defaultModel = 'demo';
  /** The demo sees no files. */
  override readonly features: ReadonlySet<ModelFeature> = new Set(['tools']);
  override readonly parameters: ReadonlySet<keyof ModelParameters> = new Set();

  /**
   * @param name the name that agents use
   * @param hasConsole whether the service has its console
   */
  constructor(
    private readonly tokenCounter: TokenCounter,
    readonly name = 'demo',
    private readonly hasConsole = true,
  ) {
    super();
  }

  async complete(
    request: CompletionRequest,
    listener: CompletionListener,
    signal: AbortSignal,
  ): Promise<CompletionResult> {
    const place = request.messages.findLastIndex(({ role, content }) => role === 'user' && content !== '');
    const message = request.messages[place]?.content ?? '';
    const results = resultsIn(request.messages.slice(place));
    const calls = results.length > 0 || listener.onToolCall === undefined ? [] : namedCalls(message, request);
    const words =
      results.length > 0
        ? demoToolReply(results, request.language)
        : demoReply(message, request.language, this.hasConsole);
    const reply = calls.length > 0 ? '' : words;
    // Counting runs concurrently with the reply. It starts first, because the caller may release the messages during
    // the reply.
    const counts = Promise.all([
      this.tokenCounter.countConversation(request.messages, request.tools),
      this.tokenCounter.count(reply + calls.map((call) => call.name + call.arguments).join('')),
    ]);
    await speak(reply.match(/\s*\S+/g) ?? [], listener, signal);
    callAll(calls, listener, signal);
    const [prompt_tokens, completion_tokens] = await counts;
    return {
      finishReason: calls.length > 0 ? 'tool_calls' : 'stop',
      usage: { prompt_tokens, completion_tokens, cached_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 },
      model: this.defaultModel,
    };
  }
}

/** The results of the functions that were called since the message. */
function resultsIn(messages: readonly ModelMessage[]): { name: string; content: string }[] {
  const parts: MessagePart[] = messages.flatMap((message) => message.parts ?? []);
  const names = new Map(parts.flatMap((part) => (part.type === 'tool_call' ? [[part.id, part.name] as const] : [])));
  return parts.flatMap((part) =>
    part.type === 'tool_result' ? [{ name: names.get(part.id) ?? part.id, content: part.content }] : [],
  );
}

/** Calls of all offered functions that the message names, in its order; only the first without parallel calls. */
function namedCalls(message: string, { tools = [], toolChoice, parallelToolCalls }: CompletionRequest): NamedCall[] {
  if (toolChoice === 'none') {
    return [];
  }
  const places = tools
    .map(({ name }) => ({
      name,
      at: message.search(new RegExp(`(?<![\\w-])${name.replace(/\W/g, '\\$&')}(?![\\w-])`)),
    }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at);
  const calls = places.map(({ name, at }, index) => ({
    name,
    arguments: objectIn(message.slice(at + name.length, places[index + 1]?.at).slice(0, LONGEST_ARGUMENTS)),
  }));
  return parallelToolCalls === false ? calls.slice(0, 1) : calls;
}

/** The first JSON object in a text, otherwise an empty one. */
function objectIn(text: string): string {
  const start = text.indexOf('{');
  let end = start;
  for (let tried = 0; start >= 0 && tried < MOST_ENDS; tried++) {
    end = text.indexOf('}', end + 1);
    if (end < 0) {
      break;
    }
    const candidate = text.slice(start, end + 1);
    if (isJsonObject(candidate)) {
      return candidate;
    }
  }
  return '{}';
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

/** @throws GenerationAbortedError */
function callAll(calls: readonly NamedCall[], listener: CompletionListener, signal: AbortSignal): void {
  if (signal.aborted) {
    throw new GenerationAbortedError();
  }
  for (const [index, call] of calls.entries()) {
    listener.onToolCall?.(index, { id: `call_${randomUUID()}`, name: call.name });
    listener.onToolArguments?.(index, call.arguments);
  }
}

/** Passes on one word after another. Resolves after the last. */
async function speak(words: readonly string[], listener: CompletionListener, signal: AbortSignal): Promise<void> {
  try {
    for (const word of words) {
      await setTimeout(WORD_MILLISECONDS, undefined, { signal });
      listener.onText(word);
    }
  } catch (error) {
    throw signal.aborted ? new GenerationAbortedError() : error;
  }
}
