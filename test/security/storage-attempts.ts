/** A request that stores data, below `/openai/v1`. */
export type StorageAttempt = [what: string, path: string, body: object];

const MB = 1_048_576;

/** What a client may attempt when its storage is full. @param conversation one of its own */
export function storageAttempts(conversation: string, longest: number): StorageAttempt[] {
  const items = `/conversations/${conversation}/items`;
  const said = (...contents: unknown[]): object => ({ items: contents.map((content) => ({ role: 'user', content })) });
  const file = { type: 'input_file', file_data: Buffer.alloc(9 * MB, 'new').toString('base64') };
  const metadata = Object.fromEntries(Array.from({ length: 16 }, (_pair, index) => [`k${index}`, 'x'.repeat(512)]));
  const emptyParts = Array<object>(2_000).fill({ type: 'input_text', text: '' });
  const model = 'General assistant';
  return [
    ['more empty items', items, said(...Array<string>(20).fill(''))],
    ['16,000 empty parts', items, said(...Array<object[]>(8).fill(emptyParts))],
    ['a file of 9 MB', items, said([file])],
    ['metadata of a conversation', `/conversations/${conversation}`, { metadata }],
    ['a conversation with metadata', '/conversations', { metadata }],
    ['a response', '/responses', { model, input: 'x'.repeat(longest) }],
    ['what a response repeats', '/responses', { model, input: 'a', instructions: 'x'.repeat(50_000) }],
  ];
}
