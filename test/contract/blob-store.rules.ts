import { AsyncResource } from 'node:async_hooks';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceUnavailableError } from '../../src/common/errors/common.errors';
import { updateRows } from '../../src/database/statements/update';
import { BlobEntity } from '../../src/integrations/blob-store/blob.entity';
import type { BlobStore } from '../../src/integrations/blob-store/blob-store';
import type { BlobService } from './blob-store.harness';

/** Several rows, and not a whole number of them. */
export const LARGE = 2 * 1_048_576 + 5;

/** Longer than an erasure without contention. */
const PAUSE_MILLISECONDS = 500;

/** Runs work outside the caller's transaction. */
const beginOutside = AsyncResource.bind(<Result>(work: () => Promise<Result>): Promise<Result> => work());

interface Subject {
  service: BlobService;
  /** The number of stored copies of the bytes. */
  copies: (hash: string) => Promise<number>;
}

/** Pauses the next erasure after the row is claimed and before the bytes are deleted. */
function holdErasure(store: BlobStore): { reached: Promise<void>; goOn: () => void } {
  const erase = store['erase'].bind(store);
  let goOn!: () => void;
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const reached = new Promise<void>((resolve) => {
    const eraseLater = async (hash: string): Promise<void> => {
      Object.assign(store, { erase });
      resolve();
      await held;
      await erase(hash);
    };
    Object.assign(store, { erase: eraseLater });
  });
  return { reached, goOn };
}

/** The contract of every store. */
export function itKeepsTheContract(subject: () => Subject): void {
  const store = () => subject().service.store;
  const messageIds = (function* () {
    for (let id = 1; ; id++) yield id;
  })();
  const newMessage = () => messageIds.next().value;

  it.each([0, 1, 1_048_576, LARGE])('returns %i bytes by their SHA-256', async (length) => {
    const bytes = randomBytes(length);
    const hash = await store().put(bytes);
    expect(hash).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(await store().has(hash)).toBe(true);
    expect((await store().get(hash))?.equals(bytes)).toBe(true);
  });

  it('stores a view without the rest of its buffer', async () => {
    const view = new Uint8Array(randomBytes(64)).subarray(16, 32);
    expect(await store().get(await store().put(view))).toEqual(Buffer.from(view));
  });

  it.each([0, 1, LARGE])('stores and returns %i bytes as a stream', async (length) => {
    const bytes = randomBytes(length);
    const parts = Array.from({ length: Math.ceil(length / 100_000) }, (_part, index) =>
      bytes.subarray(index * 100_000, (index + 1) * 100_000),
    );
    const { hash } = await store().holdStream(Readable.from(parts));
    expect(hash).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect((await store().get(hash))?.equals(bytes)).toBe(true);
    expect(Buffer.concat(await (await store().stream(hash))!.toArray()).equals(bytes)).toBe(true);
    expect(await subject().copies(hash)).toBe(1);
  });

  it('stores nothing of a stream that fails, and has no stream for an unknown hash', async () => {
    const bytes = randomBytes(LARGE);
    const cut = async function* () {
      yield bytes;
      await Promise.reject(new Error('The client has disconnected.'));
    };
    await expect(store().holdStream(cut())).rejects.toThrow('disconnected');
    const hash = createHash('sha256').update(bytes).digest('hex');
    expect([await subject().copies(hash), await store().stream(hash)]).toEqual([0, null]);
  });

  it('keeps bytes that a row and a message need until both are gone', async () => {
    const { service } = subject();
    const message = newMessage();
    const hash = await store().put(randomBytes(10));
    await service.holdFor(message, hash);
    await service.refer(message, hash);
    await service.forget(message);
    await service.collectLater();
    expect(await store().has(hash)).toBe(true);
    await service.letGo(message);
    await service.collectLater();
    expect(await store().has(hash)).toBe(false);
  });

  it('finds nothing for an unknown hash, and erases it without an error', async () => {
    const hash = createHash('sha256').update(randomBytes(8)).digest('hex');
    expect([await store().has(hash), await store().get(hash)]).toEqual([false, null]);
    await store().delete(hash);
  });

  it('contains nothing after an erasure, and accepts the same bytes again', async () => {
    const bytes = randomBytes(LARGE);
    const hash = await store().put(bytes);
    await store().delete(hash);
    expect([await store().has(hash), await store().get(hash)]).toEqual([false, null]);
    expect(await subject().copies(hash)).toBe(0);
    await store().put(bytes);
    expect((await store().get(hash))?.equals(bytes)).toBe(true);
  });

  it('stores the same bytes once, even in concurrent writes', async () => {
    const bytes = randomBytes(LARGE);
    const hashes = await Promise.all(Array.from({ length: 5 }, () => store().put(bytes)));
    hashes.push(await store().put(bytes));
    expect(new Set(hashes).size).toBe(1);
    expect(await subject().copies(hashes[0]!)).toBe(1);
    expect((await store().get(hashes[0]!))?.equals(bytes)).toBe(true);
  });

  it('keeps unreferenced bytes for an hour after they were last stored', async () => {
    const { service } = subject();
    const bytes = randomBytes(10);
    const hash = await store().put(bytes);
    await service.collector.collect();
    expect(await store().has(hash)).toBe(true);
    await service.collectLater();
    expect(await subject().copies(hash)).toBe(0);
  });

  it('keeps referenced bytes until the last such message is erased', async () => {
    const { service } = subject();
    const [one, other] = [newMessage(), newMessage()];
    const [shared, single] = [await store().put(randomBytes(10)), await store().put(randomBytes(10))];
    await service.refer(one, shared, single, shared);
    await service.refer(other, shared);
    await service.collectLater();
    expect([await store().has(shared), await store().has(single)]).toEqual([true, true]);
    await service.forget(one);
    await service.collectLater();
    expect([await store().has(shared), await store().has(single)]).toEqual([true, false]);
    await service.forget(other);
    await service.collectLater();
    expect(await store().has(shared)).toBe(false);
  });

  it('erases bytes that two concurrently erased messages referenced', async () => {
    const { service } = subject();
    const messages = Array.from({ length: 8 }, newMessage);
    const hash = await store().put(randomBytes(10));
    for (const message of messages) {
      await service.refer(message, hash);
    }
    await Promise.all(messages.map((message) => service.forget(message)));
    await service.collectLater();
    expect(await store().has(hash)).toBe(false);
  });

  it('refuses a message that references erased bytes', async () => {
    const { service } = subject();
    const hash = await store().put(randomBytes(10));
    await store().delete(hash);
    await expect(service.refer(newMessage(), hash)).rejects.toThrow(ServiceUnavailableError);
  });

  it('keeps bytes that are stored again while they are erased', async () => {
    const { service } = subject();
    const bytes = randomBytes(LARGE);
    const hash = await store().put(bytes);
    const { reached, goOn } = holdErasure(store());
    const collecting = service.collectLater();
    await reached;
    const putting = store().put(bytes);
    await Promise.race([putting, delay(PAUSE_MILLISECONDS)]);
    goOn();
    await Promise.all([collecting, putting]);
    expect((await store().get(hash))?.equals(bytes)).toBe(true);
    await service.refer(newMessage(), hash);
  });

  it('keeps bytes referenced by a message that is being stored', async () => {
    const { service } = subject();
    const hash = await store().put(randomBytes(10));
    const until = new Date(Date.now() + 86_400_000);
    let erasing: Promise<boolean> | undefined;
    await service.database.write(async () => {
      await service.refer(newMessage(), hash);
      // The erasure starts outside this transaction, and waits for it or comes too late.
      erasing = beginOutside(() => store().deleteUnused(hash, until));
      await Promise.race([erasing, delay(PAUSE_MILLISECONDS)]);
    });
    expect(await erasing).toBe(false);
    expect(await store().has(hash)).toBe(true);
  });

  it('accepts no bytes that another node is about to erase, until they are erased', async () => {
    const { service } = subject();
    const bytes = randomBytes(LARGE);
    const hash = await store().put(bytes);
    // Later than the clock of the service gets in these tests.
    const marked = { erasingAt: new Date(Date.now() + 30 * 86_400_000) };
    await service.database.write((manager) => updateRows(manager, BlobEntity, marked, { hash }));
    await expect(store().put(bytes)).rejects.toThrow(ServiceUnavailableError);
    await expect(service.refer(newMessage(), hash)).rejects.toThrow(ServiceUnavailableError);
    await service.collectLater();
    expect(await subject().copies(hash)).toBe(0);
    expect((await store().get(await store().put(bytes)))?.equals(bytes)).toBe(true);
  });

  it('accepts them again after the node that was erasing them has failed or crashed', async () => {
    const { service } = subject();
    const bytes = randomBytes(10);
    const hash = await store().put(bytes);
    const erase = store()['erase'].bind(store());
    const failing = (): Promise<void> => Promise.reject(new ServiceUnavailableError());
    Object.assign(store(), { erase: failing });
    const erasing = store().deleteUnused(hash, new Date(Date.now() + 86_400_000));
    await expect(erasing).rejects.toThrow(ServiceUnavailableError);
    Object.assign(store(), { erase });
    expect(await store().put(bytes)).toBe(hash);
    const marked = { erasingAt: new Date(Date.now() - 3_600_000) };
    await service.database.write((manager) => updateRows(manager, BlobEntity, marked, { hash }));
    expect(await store().put(bytes)).toBe(hash);
    await service.refer(newMessage(), hash);
    expect((await store().get(hash))?.equals(bytes)).toBe(true);
  });

  it('does not erase bytes stored again since they were selected', async () => {
    const bytes = randomBytes(10);
    const hash = await store().put(bytes);
    const chosenUntil = new Date();
    await delay(5);
    await store().put(bytes);
    expect(await store().deleteUnused(hash, chosenUntil)).toBe(false);
    expect(await store().deleteUnused(hash, new Date(Date.now() + 86_400_000))).toBe(true);
  });
}
