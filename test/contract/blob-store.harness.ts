import { type INestApplicationContext, Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Clock } from '../../src/common/clock';
import { CommonModule } from '../../src/common/common.module';
import { Lifecycle } from '../../src/common/lifecycle';
import { HOUR_MILLISECONDS } from '../../src/common/time';
import { Database } from '../../src/database/database';
import { DatabaseModule } from '../../src/database/database.module';
import { BlobHolders } from '../../src/integrations/blob-store/blob-holders';
import { BlobCollector, BlobReferences } from '../../src/integrations/blob-store/blob-references';
import { BlobStore } from '../../src/integrations/blob-store/blob-store';
import { BlobStoreModule } from '../../src/integrations/blob-store/blob-store.module';
import { partOfService } from '../support/service-features';

/** The owner of the messages. */
const USER_ID = 1;

/** A process that runs only the blob store. */
export class BlobService {
  private offset = 0;

  private constructor(private readonly app: INestApplicationContext) {
    this.app.get(Clock).now = () => new Date(Date.now() + this.offset);
    // The loop would erase concurrently, and `collectLater` would return before the loop has finished.
    this.collector.wake = () => undefined;
  }

  static async start(databaseUrl: string, settings: Record<string, string> = {}): Promise<BlobService> {
    const environment = { NODE_ENV: 'test', DATABASE_URL: databaseUrl, ...settings };
    const builder = Test.createTestingModule({
      imports: partOfService(environment, [DatabaseModule.forRoot(), CommonModule, BlobStoreModule]),
    });
    const app = await builder.compile();
    Logger.overrideLogger(false);
    await app.init();
    await app.get(Database).whenReady();
    return new BlobService(app);
  }

  get store(): BlobStore {
    return this.app.get(BlobStore);
  }

  get collector(): BlobCollector {
    return this.app.get(BlobCollector);
  }

  get database(): Database {
    return this.app.get(Database);
  }

  /** Stores a message that references blobs. */
  refer(messageId: number, ...hashes: string[]): Promise<number> {
    const messages = [{ messageId, hashes }];
    return this.database.write((manager) => this.app.get(BlobReferences).add(manager, USER_ID, messages));
  }

  /** Erases messages with their blob references. */
  forget(...messageIds: number[]): Promise<Map<number, number>> {
    return this.database.write((manager) => this.app.get(BlobReferences).remove(manager, messageIds));
  }

  /** A row of another table needs a blob. */
  async holdFor(id: number, hash: string): Promise<void> {
    await this.database.write((manager) =>
      this.app.get(BlobHolders).add(manager, { kind: 'row', holderId: id, hash, userId: null }),
    );
  }

  /** The row is deleted. */
  async letGo(id: number): Promise<void> {
    await this.database.write((manager) => this.app.get(BlobHolders).remove(manager, 'row', [id]));
  }

  /** Erases all unreferenced blobs, an hour later. */
  async collectLater(): Promise<void> {
    this.offset += 2 * HOUR_MILLISECONDS;
    await this.collector.collect();
  }

  async close(): Promise<void> {
    await this.app.get(Lifecycle).drain();
    await this.app.close();
  }
}
