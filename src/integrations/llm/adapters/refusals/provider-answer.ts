import { isObject, type JsonObject } from '../json-object';

/** What a provider says of a request that it did not serve, whatever the shape it says it in. */
export interface ProviderAnswer {
  status: number;
  /** All sentences for people, one a line; groups of digits are joined. */
  sentence: string;
  /** Codes and types, in lower case. */
  codes: string[];
  /** The parameters that it names in a field of their own. */
  parameters: string[];
  /** Tokens of the prompt and of the window, where they have fields of their own. */
  promptTokens: number | null;
  windowTokens: number | null;
}

/** Fields that hold sentences, or objects with sentences; all others may repeat what the user wrote. */
const SENTENCE_FIELDS = ['message', 'msg', 'detail', 'error', 'errors', 'raw', 'metadata', 'innererror', 'inner_error'];
const CODE_FIELDS = ['code', 'type', 'status'];
/** OpenRouter carries the answer of its own provider within its own, which may carry another's. */
const DEEPEST = 10;

export function readProviderAnswer(status: number, text: string): ProviderAnswer {
  const answer = { status, codes: [], parameters: [], promptTokens: null, windowTokens: null };
  const sentences: string[] = [];
  collect(text, answer, sentences, DEEPEST);
  return { ...answer, sentence: sentences.join('\n').replace(/(\d)[,_](?=\d{3})/g, '$1') };
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
  // FastAPI says where it is: `["body", "stream_options", "include_usage"]`.
  const place: unknown = Array.isArray(object.loc) ? object.loc[object.loc[0] === 'body' ? 1 : 0] : object.param;
  if (typeof place === 'string') {
    facts.parameters.push(place.split(/[.[]/)[0] ?? place);
  }
  facts.promptTokens ??= typeof object.n_prompt_tokens === 'number' ? object.n_prompt_tokens : null;
  facts.windowTokens ??= typeof object.n_ctx === 'number' ? object.n_ctx : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
