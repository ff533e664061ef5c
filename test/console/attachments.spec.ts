import { Attachments, MOST_FILE_BYTES, MOST_FILES } from '../../console/src/pages/chat/state/attachments/attachments';

/** The part of the browser's FileReader that is used. */
class TestFileReader {
  result: string | null = null;
  onload: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onprogress: ((event: { loaded: number; total: number }) => void) | null = null;

  readAsDataURL(file: File): void {
    void file.arrayBuffer().then((bytes) => {
      this.onprogress?.({ loaded: bytes.byteLength, total: bytes.byteLength });
      this.result = `data:${file.type};base64,${Buffer.from(bytes).toString('base64')}`;
      this.onload?.();
    });
  }
}

/** A file that reports this size in bytes. */
function fileOf(name: string, content: Uint8Array<ArrayBuffer> | string, type = '', size?: number): File {
  const file = new File([content], name, { type });
  if (size !== undefined) Object.defineProperty(file, 'size', { value: size });
  return file;
}

describe('files attached to a message', () => {
  let attachments: Attachments;
  const names = (): string[] => attachments.files.value.map(({ file }) => file.name);
  const faults = (): string[] => attachments.faults.value.map(({ name, fault }) => `${name} ${fault}`);

  beforeEach(() => {
    (globalThis as { FileReader?: unknown }).FileReader = TestFileReader;
    attachments = new Attachments();
  });

  afterEach(() => delete (globalThis as { FileReader?: unknown }).FileReader);

  it('are sent with their names: images as images, and all text as text', async () => {
    await attachments.add([
      fileOf('日本.png', 'p', 'image/png'),
      fileOf('drawing.svg', '<svg/>', 'image/svg+xml'),
      fileOf('a.ts', '//', 'video/mp2t'),
      fileOf('a.json', '{}', 'application/json'),
      fileOf('a.md', '#', 'text/markdown'),
      fileOf('a', 'a'),
    ]);
    expect(attachments.take().map(({ part }) => part)).toEqual([
      { type: 'image', url: 'data:image/png;base64,cA==', name: '日本.png' },
      { type: 'file', url: 'data:text/plain;base64,PHN2Zy8+', name: 'drawing.svg' },
      { type: 'file', url: 'data:text/plain;base64,Ly8=', name: 'a.ts' },
      { type: 'file', url: 'data:application/json;base64,e30=', name: 'a.json' },
      { type: 'file', url: 'data:text/markdown;base64,Iw==', name: 'a.md' },
      { type: 'file', url: 'data:text/plain;base64,YQ==', name: 'a' },
    ]);
    expect(names()).toEqual([]);
  });

  it.each([
    ['empty', fileOf('a', ''), 'file_empty'],
    ['too large', fileOf('a', 'x', '', MOST_FILE_BYTES + 1), 'file_too_large'],
    ['neither text nor picture', fileOf('a', new Uint8Array([80, 75, 0, 4])), 'file_not_supported'],
    ['no UTF-8', fileOf('a', new Uint8Array([0xe4, 0x20])), 'file_not_supported'],
  ])('are refused if they are %s', async (_what, file, fault) => {
    await attachments.add([file, fileOf('b', 'text')]);
    expect(names()).toEqual(['b']);
    expect(faults()).toEqual([`a ${fault}`]);
  });

  it('are refused if they cannot be read, such as a folder', async () => {
    const folder = fileOf('folder', 'x');
    folder.arrayBuffer = () => Promise.reject(new Error('a folder'));
    await attachments.add([folder]);
    expect([names(), faults()]).toEqual([[], ['folder file_unreadable']]);
  });

  it('are limited to the number that the service accepts', async () => {
    await attachments.add(Array.from({ length: MOST_FILES + 1 }, (_, index) => fileOf(`${index}`, 'x')));
    expect(names()).toHaveLength(MOST_FILES);
    expect(faults()).toEqual([`${MOST_FILES} too_many_files`]);
  });

  it('are limited to the total size that the service accepts', async () => {
    const large = (name: string): File => fileOf(name, 'x', 'image/png', MOST_FILE_BYTES);
    await attachments.add([large('a'), large('b'), large('c')]);
    expect([names(), faults()]).toEqual([['a', 'b'], ['c files_too_large']]);
  });

  it('are restored before files added since', async () => {
    await attachments.add([fileOf('first', 'x')]);
    const sent = attachments.take();
    await attachments.add([fileOf('second', 'x')]);
    attachments.putBack(sent);
    expect(names()).toEqual(['first', 'second']);
  });
});
