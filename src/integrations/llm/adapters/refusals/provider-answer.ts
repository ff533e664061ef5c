import { isObject, type JsonObject } from '../json-object';

/** The facts in a provider's refusal, independent of its format. */
export interface ProviderAnswer {
  status: number;
  /** All messages for people, one per line, up to 4,096 characters; `128,000` becomes `128000`. */
  sentence: string;
  /** Codes and types, in lower case. */
  codes: string[];
  /** Parameters that a field of the response names. */
  parameters: string[];
  /** Tokens of the prompt and of the window, if the response has fields for them. */
  promptTokens: number | null;
  windowTokens: number | null;
}

/** Fields with messages, or with objects that contain messages. All other fields may repeat the user's text. */
const SENTENCE_FIELDS = ['message', 'msg', 'detail', 'error', 'errors', 'raw', 'metadata', 'innererror', 'inner_error'];
const CODE_FIELDS = ['code', 'type', 'status'];
/** The patterns that search for facts take quadratic time for some texts, and a provider may repeat a prompt. */
const LONGEST_SENTENCE = 4_096;
/** OpenRouter nests the response of its own provider in its response, and so may that provider. */
const DEEPEST = 10;

export function readProviderAnswer(status: number, text: string): ProviderAnswer {
  const answer = { status, codes: [], parameters: [], promptTokens: null, windowTokens: null };
  const sentences: string[] = [];
  collect(text, answer, sentences, DEEPEST);
  const sentence = sentences.join('\n').slice(0, LONGEST_SENTENCE);
  return { ...answer, sentence: sentence.replace(/(\d)[,_](?=\d{3})/g, '$1') };
}

type Facts = Omit<ProviderAnswer, 'sentence'>;

function collect(value: unknown, facts: Facts, sentences: string[], depth: number): void {
  if (depth === 0) {
    return;
  }
  if (typeof value === 'string') {
    const parsed = /^\s*[{[]/.test(value) ? parseJson(value) : undefined;
    if (parsed === undefined) {
      sentences.push(value);
    } else {
      collect(parsed, facts, sentences, depth - 1);
    }
  } else if (Array.isArray(value)) {
    value.forEach((element) => collect(element, facts, sentences, depth - 1));
  } else if (isObject(value)) {
    collectFields(value, facts);
    SENTENCE_FIELDS.forEach((field) => collect(value[field], facts, sentences, depth - 1));
  }
}

function collectFields(object: JsonObject, facts: Facts): void {
  facts.codes.push(
    ...CODE_FIELDS.map((field) => object[field])
      .filter((code) => typeof code === 'string')
      .map((code) => code.toLowerCase()),
  );
  // FastAPI sends the path of the parameter: `["body", "stream_options", "include_usage"]`.
  const place: unknown = Array.isArray(object.loc) ? object.loc[object.loc[0] === 'body' ? 1 : 0] : object.param;
  if (typeof place === 'string') {
    facts.parameters.push(place.split(/[.[]/)[0] ?? place);
  }
  // Of all members of a schema, only this one may be left out.
  if ([place, ...(Array.isArray(object.loc) ? (object.loc as unknown[]) : [])].some(endsInStrict)) {
    facts.parameters.unshift('strict');
  }
  facts.promptTokens ??= typeof object.n_prompt_tokens === 'number' ? object.n_prompt_tokens : null;
  facts.windowTokens ??= typeof object.n_ctx === 'number' ? object.n_ctx : null;
}

function endsInStrict(place: unknown): boolean {
  return typeof place === 'string' && /(?:^|\.)strict$/.test(place);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const MASK = '[key]';

/** The text before a key if a provider repeats the request's headers. */
const AFTER_HEADER =
  /((?:authorization|x-api-key|api[-_]key)["']?\s*[:=]\s*["']?(?:bearer\s+)?|bearer\s+)[^\s"',;}]+/gi;

/** The prefixes of keys of known providers. Some providers replace the middle by stars or dots. */
const KEY_LIKE = /\b(?:sk|pk|rk|gsk|xai|hf|nvapi|csk|AIza)[-_]?[A-Za-z0-9_*.…-]{6,}/g;

/**
 * A provider's text without keys: the service's key, headers that it repeats, and everything that looks like a key.
 *
 * @param key the service's key for the provider
 */
export function maskKeys(text: string, key: string | null): string {
  const withoutOurs = key === null ? text : text.replaceAll(key, MASK).replace(escapedForms(key), MASK);
  return withoutOurs.replace(AFTER_HEADER, `$1${MASK}`).replace(KEY_LIKE, MASK);
}

/** Finds a key in the escaped forms of JSON and URLs: `\/`, `\"`, `\u002B`, `%2B`, and JSON inside JSON. */
function escapedForms(key: string): RegExp {
  // There may be any number of backslashes between two characters.
  const [first = '\\\\', ...others] = [...key.replaceAll('\\', '')].map((character) => {
    const hex = character.charCodeAt(0).toString(16);
    const itself = /[A-Za-z0-9]/.test(character) ? character : `\\x${hex}`;
    return `(?:${itself}|u00${hex}|%${hex})`;
  });
  return new RegExp(`\\\\{0,8}${[first, ...others].join('(?:\\\\(?:u005c)?|%5c)*')}`, 'gi');
}
