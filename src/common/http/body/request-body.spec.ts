import { PassThrough } from 'node:stream';
import { InvalidJsonError, PayloadTooLargeError } from '../../errors/common.errors';
import { InvalidParameterError } from '../../errors/validation.errors';
import { readParts } from './request-body';

const PERIOD_MILLISECONDS = 10_000;

describe('readParts', () => {
  const read = (stream: PassThrough, take: (part: Buffer) => void = () => undefined) => readParts(stream, take);

  it('passes on each part, and ends with the body', async () => {
    const stream = new PassThrough();
    const parts: string[] = [];
    const done = read(stream, (part) => parts.push(part.toString()));
    stream.write('a');
    stream.end('b');
    await done;
    expect(parts).toEqual(['a', 'b']);
  });

  it('reads nothing after a part that is refused', async () => {
    const stream = new PassThrough();
    const refusal = new Error('no');
    const take = jest.fn(() => {
      throw refusal;
    });
    const done = read(stream, take);
    stream.write('a');
    await expect(done).rejects.toBe(refusal);
    stream.write('b');
    expect([take.mock.calls.length, stream.isPaused()]).toEqual([1, true]);
  });

  it('refuses a body in too many small parts', async () => {
    let parts = 0;
    const flood = async (size: number): Promise<void> => {
      const stream = new PassThrough();
      const done = read(stream, () => parts++);
      const part = Buffer.alloc(size);
      for (let count = 0; count < 12_000; count++) {
        stream.emit('data', part);
      }
      stream.end();
      await done;
    };
    await expect(flood(1)).rejects.toBeInstanceOf(PayloadTooLargeError);
    expect(parts).toBeLessThan(10_100);
    await flood(512);
  });

  it('rejects a body that stalls or is slow, and waits for a large one', async () => {
    jest.useFakeTimers();
    const [silent, slow, large] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const results = Promise.allSettled([silent, slow, large].map((stream) => read(stream)));
    for (let periods = 0; periods < 6; periods++) {
      slow.emit('data', Buffer.alloc(65_535));
      large.emit('data', Buffer.alloc(65_536));
      jest.advanceTimersByTime(PERIOD_MILLISECONDS);
    }
    jest.useRealTimers();
    expect([silent, slow, large].map((stream) => stream.isPaused())).toEqual([true, true, false]);
    large.end();
    const refused = { status: 'rejected', reason: expect.any(InvalidParameterError) as Error };
    expect(await results).toEqual([refused, refused, { status: 'fulfilled', value: undefined }]);
  });

  it('fails when the connection ends early, or has ended', async () => {
    const stream = new PassThrough();
    const cut = read(stream);
    stream.destroy();
    await expect(cut).rejects.toBeInstanceOf(InvalidJsonError);
    await expect(read(stream)).rejects.toBeInstanceOf(InvalidJsonError);
  });
});
