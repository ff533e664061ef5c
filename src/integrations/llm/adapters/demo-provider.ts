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
import { isObject } from './json-object';

/** Pause between two words: long enough to see that the reply is streamed. */
const WORD_MILLISECONDS = 2;

/** Most ends of a JSON object that are tried after a name. Each is parsed, so the text is short too. */
const MOST_ENDS = 20;

/** Longest text after a name that is read, in characters. */
const LONGEST_ARGUMENTS = 4_096;

/** The tools of the service that search documents. */
const SEARCHES: ReadonlySet<string> = new Set(['search_knowledge', 'file_search']);

/** Longest beginning of a passage in a reply, in characters. */
const LONGEST_PASSAGE = 600;

/** A call of a function that the message names. */
interface NamedCall {
  name: string;
  /** JSON. */
  arguments: string;
}

/**
 * Replies without a network, so that people can try the service before they configure a model. The reply says so. The
 * provider calls the functions that a message names, with the JSON object after the name:
 * `call ticket_create with {"title": "Printer"}`. If it may search documents, it searches for any other message, and
 * replies with the best passage.
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
    const isCalling = results.length === 0 && listener.onToolCall !== undefined;
    const named = isCalling ? namedCalls(message, request) : [];
    const calls = named.length === 0 && isCalling ? searches(message, request) : named;
    const passage = bestPassage([...results.map(({ content }) => content), message]);
    const words =
      passage ??
      (results.length > 0
        ? demoToolReply(results, request.language)
        : demoReply(message, request.language, this.hasConsole));
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

/** A search of documents for the message, if the request offers one. */
function searches(message: string, { tools = [], toolChoice }: CompletionRequest): NamedCall[] {
  const tool = toolChoice === 'none' ? undefined : tools.find(({ name }) => SEARCHES.has(name));
  const queries = [message.slice(0, LONGEST_ARGUMENTS)];
  return tool === undefined ? [] : [{ name: tool.name, arguments: JSON.stringify({ queries }) }];
}

/** The beginning of the best passage with its mark; null: no passage was found. */
function bestPassage(contents: readonly string[]): string | null {
  for (const content of contents) {
    const [, mark, text = ''] = /(\[\[cite:\d+\]\]) [^\n]*\n([\s\S]*?)(?=\n\n\[\[cite:|$)/.exec(content) ?? [];
    if (mark !== undefined) {
      return `${quoteOf(text, LONGEST_PASSAGE)} ${mark}`;
    }
  }
  return null;
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

interface DemoWords {
  /** `{message}` is replaced by the beginning of the message, `{place}` by one of the following. */
  reply: string;
  /** Names pages of the console. */
  inConsole: string;
  /** Used without a console. */
  byApi: string;
  /** After calls of functions. `{results}` stands for what they returned. */
  called: string;
}

/** The texts of the demo provider, by language. */
const WORDS = new Map<string, DemoWords>([
  [
    'en',
    {
      reply:
        'This is a demo reply: no language model was asked. You wrote: “{message}”. For real answers, an administrator adds ' +
        'a model provider {place} and makes it the default one. Nothing has to be restarted.',
      inConsole: 'in the console (“Administration” → “Providers”)',
      byApi: 'with the API (/admin/providers)',
      called:
        'This is a demo reply: no language model was asked. Your message named these tools, and they returned: {results}',
    },
  ],
  [
    'zh',
    {
      reply:
        '这是演示回复：没有询问任何语言模型。您写道：“{message}”。 ' +
        '要获得真正的回答， 请管理员{place}添加模型提供商， 并将其设为默认。 无需重启服务。',
      inConsole: '在控制台（“管理” → “模型提供商”）中',
      byApi: '通过 API（/admin/providers）',
      called: '这是演示回复：没有询问任何语言模型。 您的消息提到了以下工具， 它们返回了：{results}',
    },
  ],
  [
    'es',
    {
      reply:
        'Esta es una respuesta de demostración: no se ha preguntado a ningún modelo de lenguaje. Ha escrito: «{message}». ' +
        'Para obtener respuestas reales, un administrador añade un proveedor de modelos {place} y lo establece como ' +
        'predeterminado. No hace falta reiniciar nada.',
      inConsole: 'en la consola («Administración» → «Proveedores»)',
      byApi: 'con la API (/admin/providers)',
      called:
        'Esta es una respuesta de demostración: no se ha preguntado a ningún modelo de lenguaje. Su mensaje nombra estas ' +
        'herramientas, que han devuelto: {results}',
    },
  ],
  [
    'fr',
    {
      reply:
        'Ceci est une réponse de démonstration : aucun modèle de langage n’a été interrogé. Vous avez écrit : « {message} ». ' +
        'Pour de vraies réponses, un administrateur ajoute un fournisseur de modèles {place} et en fait le fournisseur par ' +
        'défaut. Rien ne doit être redémarré.',
      inConsole: 'dans la console (« Administration » → « Fournisseurs »)',
      byApi: 'avec l’API (/admin/providers)',
      called:
        'Ceci est une réponse de démonstration : aucun modèle de langage n’a été interrogé. Votre message nomme ces ' +
        'outils, qui ont renvoyé : {results}',
    },
  ],
  [
    'de',
    {
      reply:
        'Dies ist eine Demo-Antwort: Es wurde kein Sprachmodell gefragt. Sie schrieben: „{message}“. Für echte Antworten fügt ' +
        'ein Administrator {place} einen Modellanbieter hinzu und macht ihn zum Standard. Nichts muss neu gestartet werden.',
      inConsole: 'in der Konsole („Verwaltung“ → „Anbieter“)',
      byApi: 'über die API (/admin/providers)',
      called:
        'Dies ist eine Demo-Antwort: Es wurde kein Sprachmodell gefragt. Ihre Nachricht nennt diese Werkzeuge, und sie ' +
        'haben zurückgegeben: {results}',
    },
  ],
  [
    'ja',
    {
      reply:
        'これはデモの返信です。 言語モデルには問い合わせていません。 あなたのメッセージ：「{message}」。 ' +
        '実際の回答を得るには、 管理者が{place}モデルのプロバイダーを追加し、 既定にします。 再起動は不要です。',
      inConsole: 'コンソール（「管理」 → 「プロバイダー」）で',
      byApi: ' API（/admin/providers）で',
      called:
        'これはデモの返信です。 言語モデルには問い合わせていません。 メッセージに名前のあるツールを呼び出しました。 結果：{results}',
    },
  ],
]);

const FALLBACK_LANGUAGE = 'en';
const LONGEST_QUOTE = 200;

/**
 * The reply to `message` in `language` (a code such as `de` or `de-AT`), in English if there is no translation.
 *
 * @param hasConsole whether the service has its console, where providers can be added
 */
function demoReply(message: string, language: string | undefined, hasConsole: boolean): string {
  const words = wordsOf(language);
  const reply = words?.reply.replace('{place}', hasConsole ? words.inConsole : words.byApi) ?? '';
  // A function, because `$&` in a replacement string has a special meaning.
  return reply.replace('{message}', () => quoteOf(message));
}

/** The reply after calls of functions, with the beginning of each result. */
function demoToolReply(results: readonly { name: string; content: string }[], language: string | undefined): string {
  const quotes = results.map(({ name, content }) => `${name}: ${quoteOf(content)}`).join('; ');
  return wordsOf(language)?.called.replace('{results}', () => quotes) ?? '';
}

function wordsOf(language: string | undefined): DemoWords | undefined {
  const primaryLanguage = (language ?? FALLBACK_LANGUAGE).split('-', 1)[0]?.toLowerCase() ?? FALLBACK_LANGUAGE;
  return WORDS.get(primaryLanguage) ?? WORDS.get(FALLBACK_LANGUAGE);
}

function quoteOf(text: string, longest = LONGEST_QUOTE): string {
  const characters = [...text.trim()];
  return characters.slice(0, longest).join('') + (characters.length > longest ? '…' : '');
}
