import { randomBytes } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { ServiceUnavailableError } from '../../common/errors/common.errors';
import { SpooledFile } from './spooled-file';

describe('a spooled file', () => {
  const place = { folder: tmpdir(), keepsName: false };
  let handles: FileHandle;

  beforeAll(async () => {
    const handle = await open(__filename);
    handles = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
  });

  afterEach(() => jest.restoreAllMocks());

  it('has all bytes if the disk takes only a part of them at a time', async () => {
    const write = handles.write as (...given: unknown[]) => unknown;
    const short = jest.spyOn(handles, 'write') as jest.SpyInstance;
    short.mockImplementation(function (this: FileHandle, bytes: Buffer, offset: number, length: number, at: number) {
      return write.call(this, bytes, offset, Math.min(length, 7), at);
    });
    const bytes = randomBytes(100);
    const file = await SpooledFile.receive(Readable.from([bytes.subarray(0, 60), bytes.subarray(60)]), place);
    expect([file.bytes, await file.read(0, 100)]).toEqual([100, bytes]);
    await file.close();
  });

  it('fails if the disk takes no more bytes', async () => {
    (jest.spyOn(handles, 'write') as jest.SpyInstance).mockResolvedValue({ bytesWritten: 0 });
    await expect(SpooledFile.receive(Readable.from([randomBytes(10)]), place)).rejects.toThrow(ServiceUnavailableError);
  });
});
