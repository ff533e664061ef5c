/** A body that the service refuses. */
export interface RefusedBody {
  what: string;
  /** From the root of the service. */
  path: string;
  method: 'POST' | 'PUT';
  /** The expected answer. */
  status: number;
  body: () => string;
  /** The sender; absent: any client. */
  sender?: 'full' | 'used up';
  /** The `Idempotency-Key`, which was used for another body; absent: none. */
  key?: string;
}

const MB = 1_048_576;
const COMPLETIONS = '/openai/v1/chat/completions';
const RESPONSES = '/openai/v1/responses';
const CONVERSATIONS = '/openai/v1/conversations';
const SENDING = '/api/v1/chat/message';
const CREATING = '/api/v1/chat';
const SETTINGS = '/api/v1/user/settings';
const IMPORT = '/api/v1/agents/import';
const MODEL = 'General assistant';
const WORD = { type: 'text', text: 'a' };
const LONG = `0.${'9007199254740993'.repeat(9)}`;

/** Bodies that are expensive for a service that reads them only when they are complete. */
export const REFUSED_BODIES: RefusedBody[] = [
  refused('27 MB of one letter', 400, COMPLETIONS, () => said('x'.repeat(27 * MB))),
  refused('27 MB of one letter as input', 400, RESPONSES, () => asked({ input: 'x'.repeat(27 * MB) })),
  refused('27 MB of blanks', 413, COMPLETIONS, () => ' '.repeat(27 * MB)),
  refused('27 MB where 16 KB are allowed', 413, CREATING, () => said('x'.repeat(27 * MB))),
  refused('190,000 text parts', 400, COMPLETIONS, () => said(list(190_000, { type: 'text', text: 'a' }))),
  refused('500,000 numbers', 400, COMPLETIONS, () => asked({ a: list(500_000, 1) })),
  refused('8 MB of strange words', 400, COMPLETIONS, () => told(list(8, strange(990_000)))),
  refused('700,000 characters of strange words', 400, COMPLETIONS, () => said(strange(700_000))),
  refused('two images of 9.5 MB that are none', 400, COMPLETIONS, () => shown(image(9.5 * MB), image(9.5 * MB))),
  refused('an image of 20 MB', 400, COMPLETIONS, () => shown(image(20 * MB))),
  refused('a file of 20 MB as text', 400, COMPLETIONS, () => said(image(20 * MB))),
];

/** The same in many other forms. */
export const MORE_REFUSED_BODIES: RefusedBody[] = [
  refused('27 MB of Chinese', 400, COMPLETIONS, () => said('日'.repeat(9 * MB))),
  refused('27 MB of escapes', 400, COMPLETIONS, () => said('\u0001'.repeat(4.5 * MB))),
  refused('27 MB of quotes', 400, COMPLETIONS, () => said('"'.repeat(13.5 * MB))),
  refused('27 MB of digits', 413, COMPLETIONS, () => `{"n":${'1'.repeat(27 * MB)}}`),
  refused('27 MB of brackets', 400, COMPLETIONS, () => '['.repeat(27 * MB)),
  refused('a name of 27 MB', 400, RESPONSES, () => asked({ ['x'.repeat(27 * MB)]: 1 })),
  refused('a file of 20 MB that ends in Chinese', 413, COMPLETIONS, () => shown(`${image(20 * MB)}日`)),
  refused('49,000 numbers', 400, COMPLETIONS, () => asked({ a: list(49_000, 1) })),
  refused('49,000 long numbers', 400, COMPLETIONS, () =>
    asked({ a: list(49_000, LONG) }).replaceAll(`"${LONG}"`, LONG),
  ),
  refused('49,000 names', 400, COMPLETIONS, () => asked({ a: list(49, members(999)) })),
  refused('49,000 different names', 400, COMPLETIONS, () =>
    asked({ a: list(49, 0).map((_, place) => members(999, place)) }),
  ),
  refused('1,500 times 29 lists in each other', 400, COMPLETIONS, () => asked({ a: list(1_500, nested(29)) })),
  refused('16,000 text parts, the last one wrong', 400, COMPLETIONS, () => said([...list(16_000, WORD), {}])),
  refused('24,000 parts that are none', 400, COMPLETIONS, () => said(list(24_000, { type: 1 }))),
  refused('24,000 messages', 400, COMPLETIONS, () => asked({ messages: list(24_000, { role: 1 }) })),
  refused('24,000 functions that are none', 400, RESPONSES, () => asked({ input: 'a', tools: list(24_000, { x: 1 }) })),
  refused('40 functions of 1,000 members', 400, RESPONSES, () =>
    asked({ input: 'a', tools: list(40, tool(members(999))) }),
  ),
  refused('40,000 stops', 400, COMPLETIONS, () => asked({ messages: [], stop: list(40_000, 'a') })),
  refused('49,000 wishes', 400, RESPONSES, () =>
    asked({ input: 'a', include: list(49_000, 'message.output_text.logprobs') }),
  ),
  refused('999 metadata', 400, RESPONSES, () => asked({ input: 'a', metadata: members(999) })),
  refused('2,000 results without a call', 400, RESPONSES, () =>
    asked({ input: list(1_999, result('x'.repeat(3_000))) }),
  ),
  refused('2,000 references', 404, RESPONSES, () => asked({ input: list(1_999, { id: 'msg_1' }) })),
  refused('8 MB of Chinese', 400, COMPLETIONS, () => asked({ a: list(9, '日'.repeat(290_000)) })),
  refused('8 MB of texts for an unknown model', 404, COMPLETIONS, () => told(list(8, 'x'.repeat(MB * 0.9)), 'none')),
  refused('a million letters', 400, COMPLETIONS, () => said('x'.repeat(1_000_000))),
  refused('a million emoji', 400, COMPLETIONS, () => said('😀'.repeat(500_000))),
  refused('200,000 characters of strange words', 400, COMPLETIONS, () => said(strange(200_000))),
  refused('strange words as instructions', 400, RESPONSES, () => asked({ input: 'a', instructions: strange(700_000) })),
  refused('1 MB in the place of a message', 413, SENDING, () => asked({ chat_id: 1, content: 'x'.repeat(MB - 99) })),
  refused('19,000 values in the place of a message', 422, SENDING, () =>
    asked({ chat_id: 1, content: list(19_000, 0) }),
  ),
  refused('19,000 members in the place of a message', 422, SENDING, () => asked({ content: list(19, members(999)) })),
  refused('19,000 values as settings', 422, SETTINGS, () => asked({ custom_instructions: list(19_000, 'a') })),
  refused('5,000 nameless agents', 422, IMPORT, () => asked({ agents: list(5_000, {}) })),
  refused('an agent 5,000 times', 422, IMPORT, () => asked({ agents: list(5_000, { name: 'a' }) })),
  refused('900 faulty agents', 422, IMPORT, () => asked({ agents: list(900, members(19)) })),
  refused('10 MB of agents', 422, IMPORT, () =>
    asked({ agents: list(300, { name: 'a', system_prompt: '日'.repeat(10_000) }) }),
  ),
];

/** Valid bodies that are refused for another reason. */
export const REFUSED_SENDERS: RefusedBody[] = [
  of(
    'used up',
    refused('two images of 9.5 MB, quota used up', 429, RESPONSES, () => asked({ input: [pictures()] })),
  ),
  of(
    'used up',
    refused('7 MB of texts, quota used up', 429, RESPONSES, () =>
      asked({ input: [...texts(7, 990_000), ...texts(1, 1)] }),
    ),
  ),
  of(
    'used up',
    refused('1,999 messages, quota used up', 429, RESPONSES, () => asked({ input: texts(1_999, 1) })),
  ),
  of(
    'full',
    refused('two images of 9.5 MB, storage full', 413, CONVERSATIONS, () => asked({ items: [pictures()] })),
  ),
  of(
    'full',
    refused('8 MB of texts, storage full', 413, CONVERSATIONS, () => asked({ items: texts(20, 390_000) })),
  ),
  keyed(refused('two images of 9.5 MB, key used', 409, CONVERSATIONS, () => asked({ items: [pictures()] }))),
  keyed(refused('8 MB of texts, key used', 409, CONVERSATIONS, () => asked({ items: texts(20, 390_000) }))),
];

function of(sender: RefusedBody['sender'], body: RefusedBody): RefusedBody {
  return { ...body, sender };
}

function keyed(body: RefusedBody): RefusedBody {
  return { ...body, key: 'used' };
}

function refused(what: string, status: number, path: string, body: () => string): RefusedBody {
  return { what, status, path, method: path === SETTINGS ? 'PUT' : 'POST', body };
}

function asked(body: object): string {
  return JSON.stringify({ model: MODEL, ...body });
}

function said(content: unknown): string {
  return asked({ messages: [{ role: 'user', content }] });
}

function told(texts: unknown[], model = MODEL): string {
  return asked({ model, messages: texts.map((content) => ({ role: 'user', content })) });
}

function shown(...urls: string[]): string {
  return said(urls.map((url) => ({ type: 'image_url', image_url: { url } })));
}

function image(bytes: number): string {
  return `data:image/png;base64,${'A'.repeat(Math.floor(bytes / 3) * 4)}`;
}

function pictures(): object {
  const part = { type: 'input_image', image_url: image(9.5 * MB) };
  return { role: 'user', content: [part, part] };
}

function texts(count: number, length: number): unknown[] {
  return list(count, { role: 'user', content: 'x'.repeat(length) });
}

function list(count: number, item: unknown): unknown[] {
  return Array.from({ length: count }, () => item);
}

function members(count: number, place = 0): object {
  return Object.fromEntries(Array.from({ length: count }, (_member, index) => [`m${place}_${index}`, 1]));
}

function nested(depth: number): unknown {
  return JSON.parse('['.repeat(depth) + ']'.repeat(depth));
}

function tool(parameters: object): object {
  return { type: 'function', name: 'f', parameters };
}

function result(output: string): object {
  return { type: 'function_call_output', call_id: 'a', output };
}

/** Words outside every tokenizer's vocabulary. */
function strange(length: number): string {
  let words = '';
  for (let seed = 1; words.length < length; seed = (seed * 48_271) % 2_147_483_647) {
    words += `${seed.toString(36)} `;
  }
  return words.slice(0, length);
}
