import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { EntityManager, EntityTarget, ObjectLiteral, Repository } from 'typeorm';
import type { ConnectionSettings } from './connection-settings';
import { isTransactionConflict } from './database.errors';
import { DatabaseOpening } from './database-opening';
import { endTransaction } from './end-transaction';
import type { ServiceDataSource } from './service-data-source';
import { WriteQueue } from './write-queue';

const MOST_ATTEMPTS = 5;
const LONGEST_RETRY_MILLISECONDS = 20;

interface UnitOfWork {
  manager: EntityManager;
  afterCommit: (() => void)[];
}

interface Transaction<Result> {
  result: Result;
  afterCommit: (() => void)[];
}

/**
 * The service's only door to its data: reads go through `manager` or `repository`, every write goes through `write`. How
 * the database is opened and closed is in `DatabaseOpening`. The other files of this folder hold what differs between the
 * databases: row locks, claims, counters, batches, text search, columns.
 *
 * TypeORM has one writing connection for the whole process on SQLite, so transactions of parallel requests queue there;
 * on MySQL they run side by side and are repeated when the server gave one up.
 */
@Injectable()
export class Database implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(Database.name);
  private readonly opening: DatabaseOpening;
  private readonly unitOfWork = new AsyncLocalStorage<UnitOfWork>();
  private readonly writeQueue = new WriteQueue();

  constructor(
    private readonly writer: ServiceDataSource,
    private readonly settings: ConnectionSettings,
  ) {
    this.opening = new DatabaseOpening(writer, settings);
  }

  /** For this folder alone: everybody else asks for what differs, not for who differs. */
  get dialect(): ConnectionSettings['dialect'] {
    return this.settings.dialect;
  }

  /** The name of the kind of database, for reports. */
  get kind(): string {
    return this.settings.dialect;
  }

  /** Whether other instances may use the same data. The file of SQLite belongs to one process. */
  get isShared(): boolean {
    return this.dialect !== 'sqlite';
  }

  /** True once the database is connected and migrated, and the hooks have run. */
  get isReady(): boolean {
    return this.opening.isReady;
  }

  /**
   * Inside `write` the transaction's manager, outside it one for reading only.
   *
   * @throws ServiceUnavailableError while the database is not connected.
   */
  get manager(): EntityManager {
    const unit = this.unitOfWork.getStore();
    if (unit) {
      return unit.manager;
    }
    this.opening.assertServes();
    return this.opening.reader.manager;
  }

  /** A repository over `manager`; do not keep it, since it belongs to the present transaction. */
  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity> {
    return this.manager.getRepository(entity);
  }

  /**
   * The unit of work: all of `work` is committed, or nothing of it. A nested call joins the surrounding one. `work` may
   * run again after a deadlock and must not wait for the network.
   *
   * @throws ServiceUnavailableError while the database is not connected.
   */
  async write<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    const surrounding = this.unitOfWork.getStore();
    if (surrounding) {
      return work(surrounding.manager);
    }
    this.opening.assertServes();
    const { result, afterCommit } = this.isShared
      ? await this.transactWithRetry(work)
      : await this.writeQueue.run(() => this.transact(work));
    // Nothing is acknowledged, and nobody is told, before the change is on the disk.
    await this.opening.synced();
    for (const callback of afterCommit) {
      callback();
    }
    return result;
  }

  /** Inside `write`: has `callback` run once the transaction is committed, and outside of it. */
  onCommit(callback: () => void): void {
    const unit = this.unitOfWork.getStore();
    if (!unit) {
      throw new Error('onCommit was called outside of a unit of work.');
    }
    unit.afterCommit.push(callback);
  }

  /**
   * Has `hook` prepare the data once the database is connected and migrated, before anybody else is served; after a
   * failure it runs again. Call it in a constructor.
   */
  onReady(hook: () => Promise<void>): void {
    this.opening.addHook(hook);
  }

  /**
   * Resolves when the database is connected, migrated and the hooks have run.
   *
   * @throws OperatorError when the database refuses what no waiting would change
   */
  whenReady(): Promise<void> {
    return this.opening.whenReady();
  }

  /** Asks the database for a sign of life; rejects when there is none. */
  async ping(): Promise<void> {
    await this.manager.query('SELECT 1');
  }

  /**
   * Takes what was deleted and committed out of SQLite's write-ahead log as well, which keeps earlier states of pages. The
   * logs of a server are its operator's.
   */
  async clearLog(): Promise<void> {
    if (!this.isShared) {
      await this.writeQueue.run(() => this.writer.query('PRAGMA wal_checkpoint(TRUNCATE)'));
    }
  }

  async onModuleInit(): Promise<void> {
    await this.opening.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.opening.stop();
    if (this.writer.isInitialized) {
      // After the last write, all that was written is in the file itself, and the log beside it is empty.
      await this.clearLog().catch((error: unknown) => this.logger.error(error));
    }
    await this.opening.close();
  }

  private async transactWithRetry<Result>(
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<Transaction<Result>> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.transact(work);
      } catch (error) {
        if (attempt === MOST_ATTEMPTS || !isTransactionConflict(error)) {
          throw error;
        }
        // By chance, so that transactions that collided do not collide again.
        await delay(Math.random() * LONGEST_RETRY_MILLISECONDS * attempt);
      }
    }
  }

  private async transact<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Transaction<Result>> {
    const afterCommit: (() => void)[] = [];
    try {
      const result = await this.writer.transaction((manager) =>
        this.unitOfWork.run({ manager, afterCommit }, () => work(manager)),
      );
      return { result, afterCommit };
    } catch (error) {
      if (!this.isShared) {
        endTransaction(this.writer);
      }
      throw error;
    }
  }
}
