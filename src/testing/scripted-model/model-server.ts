import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** One step of a scripted stream; its type is the name of its only property. */
export type ModelStep =
  | { text: string }
  | { reasoning: string }
  /** A function call; the script then ends with `tool_calls`. Without arguments: `{}`. */
  | { toolCall: ScriptedCall }
  /** More arguments of the last call, for a gate, a cut or a stall between them. */
  | { toolArguments: string }
  /** The same text many times, every `delay` milliseconds or all together. */
  | { repeat: { text: string; count: number; delay?: number } }
  /** Waits this many milliseconds. */
  | { delay: number }
  /** Waits until `release()` opens this gate. */
  | { hold: string }
  /** Sent unchanged; `base64` for bytes that are not text. */
  | { raw: string }
  /** Sent unchanged, in pieces that start at these bytes. */
  | { pieces: { text: string; cuts: number[] } }
  | { base64: string }
  | { comment: string }
  /** Any object, or any text such as `{broken`, as the data of an event. */
  | { event: unknown }
  /** An error object in the middle of the stream. */
  | { error: Record<string, unknown> }
  /** Destroys the connection after the data already written. */
  | { cut: true }
  /** Sends nothing more and never ends. */
  | { stall: true };

/**
 * How the server sends a call: `pieces` is OpenAI's own way, the others are those of servers that claim to be
 * compatible. With Anthropic's API only `pieces` and `whole` differ.
 */
export type CallShape =
  | 'pieces'
  | 'whole'
  | 'whole-no-index'
  /** The arguments are an object instead of a text. */
  | 'object'
  | 'no-index'
  | 'repeating'
  | 'empty-fields'
  | 'split-name'
  | 'no-id'
  | 'function_call';

export interface ScriptedCall {
  /** Default: `call_1`, `call_2` and so on; `toolu_1` with Anthropic. */
  id?: string;
  name: string;
  arguments?: string;
  shape?: CallShape;
}

/** A refusal of matching requests. */
export interface ModelRefusal {
  when:
    /**
     * Matches if the parameter is sent: above a number, together with another one, or unless another one has a value.
     */
    | { parameter: string; above?: number; besides?: string; unless?: Record<string, unknown> }
    /** Matches if the body as JSON contains this text; for deeply nested members. */
    | { body: string }
    /** Matches if the body as JSON does not contain this text. */
    | { lacks: string }
    /** Matches if a message has a part of one of these wire types: `image_url`, `image`, `file`, `document`. */
    | { part: string[] }
    /** Any message, including the system prompt, contains this text. */
    | { containing: string }
    /** All messages together are longer than this number of UTF-16 units. */
    | { characters: number };
  status: number;
  headers?: Record<string, string>;
  body: string;
}

export interface ModelScript {
  /**
   * For requests whose last user message (with a text) contains this text. Absent: for the next request without a
   * matching key.
   */
  key?: string;
  /** The number of requests it answers. Default: all that match its key, or one. */
  times?: number;
  /** Milliseconds before the head of the answer. */
  delay?: number;
  /** Never answers. */
  hang?: true;
  /** Destroys the connection without an answer. */
  cut?: true;
  /** Refusals for matching requests. */
  refuses?: ModelRefusal[];
  /** A plain answer with these values instead of a stream. */
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /** The stream. Finish reason, usage and end mark are added unless `unfinished`. */
  steps?: ModelStep[];
  unfinished?: true;
  /** Also omits the stream's usual start: only the steps are sent. */
  bare?: true;
  /** Default: `stop`, or `tool_calls` after a call. */
  finish?: string;
  /** In the provider's format; null: none is sent. */
  usage?: Record<string, unknown> | null;
  /** Line ends of CR LF. */
  crlf?: true;
  /** Writes every answer in pieces of this number of bytes. */
  pieceSize?: number;
}

export type ModelRequestEvent = 'received' | 'completed' | 'aborted';

export interface ModelRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** The content of a message is a text, or a list of parts. */
  body: Record<string, unknown> & { messages: { role: string; content: unknown }[] };
  /** The last user message with a text; tool results do not count. */
  key: string;
  /** Identifies the connection. */
  clientPort: number;
  state: 'open' | 'completed' | 'aborted';
  /** Milliseconds since the epoch, like all times here. */
  startedAt: number;
  endedAt: number | null;
}

/**
 * A scripted language model in its own thread. Each test uses its own key, which the user's message contains, so tests
 * need no order and no reset:
 *
 * @example
 * const modelServer = await startModelServer();
 * await modelServer.script({ key: 'k1', steps: [{ text: 'Hel' }, { hold: 'k1' }, { text: 'lo' }] });
 * // … POST {modelServer.openAiUrl}/chat/completions with the user message 'k1'
 * await modelServer.release('k1');
 * await modelServer.waitFor('completed', { key: 'k1' });
 * await modelServer.close();
 *
 * A round of tools is two scripts of one key. The request with the results still has the user's message with the key:
 *
 * @example
 * await modelServer.script({ key, times: 1, steps: [{ toolCall: { name: 'get_weather', arguments: '{"city":"Paris"}' } }] });
 * await modelServer.script({ key, steps: [{ text: 'It rains in Paris.' }] });
 */
export class ModelServer {
  private constructor(
    private readonly thread: Worker,
    readonly port: number,
  ) {}

  static async start(): Promise<ModelServer> {
    const thread = new Worker(join(__dirname, 'model-server.thread.js'), { execArgv: [] });
    const [port] = (await once(thread, 'message')) as [number];
    return new ModelServer(thread, port);
  }

  /** For `LLM_BASE_URL` with `openai-compatible`. */
  get openAiUrl(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  /** For `LLM_BASE_URL` with `anthropic`. */
  get anthropicUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async script(script: ModelScript): Promise<void> {
    await this.control('POST', '/__script', script);
  }

  /** The answer for requests without a matching script; null: a short reply with usage, `Hello from the model.` */
  async setDefault(script: ModelScript | null): Promise<void> {
    await this.control('POST', '/__default', script);
  }

  /** Answers GET below a path, such as `/mine/v1/models`; others are 404. */
  async list(
    path: string,
    answer: { status?: number; headers?: Record<string, string>; body?: string },
  ): Promise<void> {
    await this.control('POST', '/__models', { path, ...answer });
  }

  /** Opens a gate for the streams that wait at it and for later ones. */
  async release(gate: string): Promise<void> {
    await this.control('POST', '/__release', { gate });
  }

  /** The received requests, oldest first. */
  async requests(key?: string): Promise<ModelRequest[]> {
    const query = key === undefined ? '' : `?${new URLSearchParams({ key }).toString()}`;
    return (await this.control('GET', `/__requests${query}`)) as ModelRequest[];
  }

  /**
   * Resolves once `count` (default 1) requests have this state; fails after `timeout` milliseconds (default 120000).
   */
  async waitFor(
    event: ModelRequestEvent,
    filter: { key?: string; count?: number; timeout?: number } = {},
  ): Promise<ModelRequest[]> {
    const given = Object.entries(filter).map(([name, value]): [string, string] => [name, String(value)]);
    const query = new URLSearchParams([['event', event], ...given]).toString();
    return (await this.control('GET', `/__wait?${query}`)) as ModelRequest[];
  }

  /** Forgets scripts, gates and requests. */
  async reset(): Promise<void> {
    await this.control('POST', '/__reset');
  }

  async close(): Promise<void> {
    await this.thread.terminate();
  }

  private async control(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, { method, body: JSON.stringify(body) });
    const answer: unknown = await response.json();
    if (!response.ok) {
      throw new Error(`The model server answered ${response.status} to ${path}: ${JSON.stringify(answer)}`);
    }
    return answer;
  }
}

export function startModelServer(): Promise<ModelServer> {
  return ModelServer.start();
}
