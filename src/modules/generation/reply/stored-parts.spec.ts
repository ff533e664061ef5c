import { fake } from '../../../../test/support/fake';
import type { BlobStore } from '../../../integrations/blob-store/blob-store';
import type { MessagePart } from '../../../integrations/llm/port/message-parts';
import {
  fileHashes,
  loadAll,
  loadParts,
  namesOfCalls,
  namesOfFiles,
  type StoredFile,
  type StoredPart,
  storeParts,
} from './stored-parts';

const blobs = new Map<string, Buffer>();
const store = fake<BlobStore>({
  put: (bytes: Uint8Array) => {
    const hash = `hash of ${String(bytes)}`;
    blobs.set(hash, Buffer.from(bytes));
    return Promise.resolve(hash);
  },
  get: (hash: string) => Promise.resolve(blobs.get(hash) ?? null),
});

const image = { type: 'image', media_type: 'image/png', name: null, detail: 'high' } as const;
const file = { type: 'file', media_type: 'application/pdf', name: 'a.pdf', detail: null } as const;
const parts: MessagePart[] = [
  { type: 'text', text: 'See' },
  { ...image, data: Buffer.from('png') },
  { ...file, data: Buffer.from('pdf!') },
  { type: 'tool_call', id: 'call_1', name: 'look', arguments: '{}' },
];

describe('parts of messages', () => {
  let stored: StoredPart[];

  beforeEach(async () => {
    stored = await storeParts(store, parts);
  });

  it('are stored without bytes and load unchanged', async () => {
    expect(stored.slice(1, 3)).toEqual([
      { ...image, hash: 'hash of png', bytes: 3 },
      { ...file, hash: 'hash of pdf!', bytes: 4 },
    ]);
    expect(JSON.stringify(stored)).not.toContain('data');
    expect(await loadParts(store, stored)).toEqual(parts);
    expect(fileHashes(stored)).toEqual(['hash of png', 'hash of pdf!']);
    expect(fileHashes(null)).toEqual([]);
  });

  it('tell the model that a file was deleted, so that the message is not empty', async () => {
    blobs.clear();
    expect((await loadParts(store, stored)).slice(1, 3)).toEqual([
      { type: 'text', text: '[The image is no longer there.]' },
      { type: 'text', text: '[The file a.pdf is no longer there.]' },
    ]);
  });

  it('include the newest files of several messages as long as they fit', async () => {
    const [said, , pdf] = stored as [StoredPart, StoredPart, StoredFile];
    const large = { ...pdf, bytes: 9 * 1_048_576 };
    const left = { type: 'text', text: '[The file a.pdf is not sent again: the files are too large together.]' };
    const messages = [[said, large], null, [large, said, large]];
    expect(await loadAll(store, messages)).toEqual([[said, left], null, [parts[2], said, parts[2]]]);
    expect(await loadAll(store, messages, 5 * 1_048_576)).toEqual([[said, left], null, [left, said, parts[2]]]);
  });

  it('are named for models that receive no bytes', () => {
    expect([namesOfFiles(stored), namesOfCalls(stored)]).toEqual(['image/png\napplication/pdf a.pdf', 'look']);
    expect([namesOfFiles(null), namesOfCalls([])]).toEqual([null, null]);
  });
});
