// @databases mariadb: locks, and blobs in tables
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { Database } from '../../src/database/database';
import { BlobEntity } from '../../src/integrations/blob-store/blob.entity';
import { BlobCollector } from '../../src/integrations/blob-store/blob-references';
import { BlobStore } from '../../src/integrations/blob-store/blob-store';
import type { ReceivedFile } from '../../src/modules/knowledge/files/file-receiver';
import { UploadsService } from '../../src/modules/knowledge/files/uploads.service';
import { KnowledgeRetention } from '../../src/modules/knowledge/knowledge.retention';
import { KnowledgeClient, WITHOUT_INGESTION } from '../support/knowledge';
import { useOwnChatApp } from '../support/use-app';

const HOUR = 3_600_000;

const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex');

describe('a file in parts', () => {
  const app = useOwnChatApp({ ...WITHOUT_INGESTION, FILE_MAX_MB: '1', QUOTA_FREE_STORAGE_MB: '2' });
  let client: KnowledgeClient;

  beforeEach(async () => {
    client = await KnowledgeClient.of(app);
  });

  const uploads = () => app.app.get(UploadsService);
  const principal = () => ({ userId: client.id, tier: 'normal' }) as never;
  const used = async () =>
    ((await client.send('/user/quota')).body as unknown as { storage: { used: number } }).storage.used;

  const begin = (bytes: number, changes: object = {}) =>
    uploads().create(
      principal(),
      {
        bytes,
        filename: 'dir/big.txt',
        mediaType: 'text/plain',
        purpose: 'user_data',
        expiresAfterSeconds: null,
        ...changes,
      },
      null,
    );

  async function sendPart(id: number, bytes: Buffer): Promise<number> {
    const blob = await app.app.get(BlobStore).holdStream(Readable.from([bytes]));
    const received: ReceivedFile = { fields: {}, filename: 'part', mediaType: '', bytes: bytes.length, blob };
    return (await uploads().addPart(client.id, id, received)).id;
  }

  it('is joined in the order of the client, once, and counts from its beginning', async () => {
    const [first, second] = [randomBytes(300_000), randomBytes(200_000)];
    const { upload } = await begin(500_000);
    expect(await used()).toBe(500_000);
    const ids = [await sendPart(upload.id, second), await sendPart(upload.id, first)].reverse();
    const whole = Buffer.concat([first, second]);
    const done = await uploads().complete(principal(), upload.id, ids, md5(whole));
    expect(done).toMatchObject({ upload: { status: 'completed' }, file: { bytes: 500_000, filename: 'big.txt' } });
    expect(await app.app.get(BlobStore).get(done.file!.sha256)).toEqual(whole);
    const again = await uploads().complete(principal(), upload.id, ids, md5(whole));
    expect(again.file!.id).toBe(done.file!.id);
    await expect(uploads().complete(principal(), upload.id, ids.reverse(), null)).rejects.toThrow(
      'INVALID_UPLOAD_STATE',
    );
    expect(await used()).toBe(500_000);
    expect(await client.items('/files')).toHaveLength(1);
  });

  it('stays pending after a wrong completion, and refuses more bytes than announced', async () => {
    const part = randomBytes(100);
    const { upload } = await begin(100);
    const id = await sendPart(upload.id, part);
    await expect(sendPart(upload.id, part)).rejects.toThrow('VALIDATION_ERROR');
    for (const [ids, sum] of [
      [[id], 'ff'],
      [[], null],
      [[id, id], null],
      [[id + 1_000], null],
    ] as const) {
      await expect(uploads().complete(principal(), upload.id, ids, sum)).rejects.toThrow('VALIDATION_ERROR');
    }
    expect((await uploads().complete(principal(), upload.id, [id], null)).file).toMatchObject({ bytes: 100 });
  });

  it('stays pending if the bytes of a part are missing', async () => {
    const { upload } = await begin(200);
    const [first, second] = [randomBytes(100), randomBytes(100)];
    const ids = [await sendPart(upload.id, first), await sendPart(upload.id, second)];
    await app.app.get(BlobStore).delete(createHash('sha256').update(second).digest('hex'));
    await expect(uploads().complete(principal(), upload.id, ids, null)).rejects.toThrow('SERVICE_UNAVAILABLE');
    expect((await uploads().find(client.id, upload.id)).upload.status).toBe('pending');
    expect(await client.items('/files')).toEqual([]);
  });

  it('is refused beyond the size and the storage, and for other users', async () => {
    await expect(begin(1_048_577)).rejects.toThrow('FILE_TOO_LARGE');
    const { upload } = await begin(1_048_576);
    await begin(1_048_576);
    await expect(begin(1)).rejects.toThrow('STORAGE_QUOTA_EXCEEDED');
    const other = await KnowledgeClient.of(app);
    await expect(uploads().cancel(other.id, upload.id)).rejects.toThrow('UPLOAD_NOT_FOUND');
  });

  it('releases its storage and its parts when it is cancelled, or after an hour', async () => {
    const part = randomBytes(1_000);
    const hash = createHash('sha256').update(part).digest('hex');
    const [cancelled, forgotten] = [await begin(500_000), await begin(500_000)];
    await sendPart(cancelled.upload.id, part);
    await sendPart(forgotten.upload.id, part);
    expect((await uploads().cancel(client.id, cancelled.upload.id)).upload.status).toBe('cancelled');
    await expect(sendPart(cancelled.upload.id, part)).rejects.toThrow('INVALID_UPLOAD_STATE');
    expect(await used()).toBe(500_000);
    app.advanceClock(HOUR + 1);
    try {
      await expect(sendPart(forgotten.upload.id, part)).rejects.toThrow('INVALID_UPLOAD_STATE');
      await app.app.get(KnowledgeRetention).removeExpired();
      expect(await used()).toBe(0);
      app.advanceClock(2 * HOUR);
      await app.app.get(BlobCollector).collect();
      expect(await app.app.get(Database).manager.countBy(BlobEntity, { hash })).toBe(0);
    } finally {
      app.resetClock();
    }
  });
});
