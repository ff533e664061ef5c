import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Logger, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { DataSource, EntityManager, EntityTarget, ObjectLiteral, Repository } from 'typeorm';
import { ServiceUnavailableError } from '../common/errors/common.errors';
import { bindNumbers } from './bind-numbers';
import { ConnectionSettings, MysqlSettings } from './connection-settings';
import { readerOptions } from './data-source-options';
import { fileFault, isTransactionConflict } from './database.errors';
import { endTransaction } from './end-transaction';
import { connect, migrate } from './open-data-source';
import { OpeningFailures, OpeningStage } from './opening-failure';
import { ServiceDataSource } from './service-data-source';
import { SqliteFileLock } from './sqlite-file-lock';
import { WalSync } from './wal-sync';
import { WriteQueue } from './write-queue';

const RECONNECT_MILLISECONDS = 1_000;
const MOST_ATTEMPTS = 5;

interface UnitOfWork {
  manager: EntityManager;
  afterCommit: (() => void)[];
}

/**
 * The service's only door to its data: reads go through `manager` or `repository`, every write through `write`.
 *
 * TypeORM has one writing connection for the whole process on SQLite, so transactions of parallel requests must queue
 * there; on MySQL they run side by side and are repeated when the server gave one up.
 */
@Injectable()
export class Database implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(Database.name);
  private readonly unitOfWork = new AsyncLocalStorage<UnitOfWork>();
  /** Tells the calls of the hooks from all others, while only theirs are served. */
  private readonly inHook = new AsyncLocalStorage<true>();
  private readonly writeQueue = new WriteQueue();
  private readonly readyHooks: (() => Promise<void>)[] = [];
  private reader: DataSource;
  private fileLock: SqliteFileLock | undefined;
  private walSync: WalSync | undefined;
  private ready = false;
  private stage: OpeningStage = 'connecting';
  private closed = false;
  private opening: Promise<void> = Promise.resolve();

  constructor(
    private readonly writer: ServiceDataSource,
    private readonly settings: ConnectionSettings,
  ) {
    this.reader = writer;
  }

  get dialect(): ConnectionSettings['dialect'] {
    return this.settings.dialect;
  }

  /** Whether other instances may use the same data. The file of SQLite belongs to one process. */
  get isShared(): boolean {
    return this.dialect !== 'sqlite';
  }

  /** True once the database is connected and migrated, and the hooks have run. */
  get isReady(): boolean {
    return this.ready;
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
    this.assertReady();
    return this.reader.manager;
  }

  /** Do not keep it: it belongs to the present transaction. */
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
    this.assertReady();
    const { result, afterCommit } =
      this.dialect === 'sqlite'
        ? await this.writeQueue.run(() => this.transact(work))
        : await this.transactWithRetry(work);
    // Nothing is acknowledged, and nobody is told, before the change is on the disk.
    await this.walSync?.committed();
    for (const callback of afterCommit) {
      callback();
    }
    return result;
  }

  /** Takes what was deleted out of SQLite's write-ahead log as well. The logs of a server are its operator's. */
  async clearLog(): Promise<void> {
    if (this.dialect === 'sqlite') {
      await this.writeQueue.run(() => this.writer.query('PRAGMA wal_checkpoint(TRUNCATE)'));
    }
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
    this.readyHooks.push(hook);
  }

  /**
   * Resolves when the database is connected, migrated and the hooks have run.
   *
   * @throws OperatorError when the database refuses what no waiting would change
   */
  whenReady(): Promise<void> {
    return this.opening;
  }

  /** Asks the server for a sign of life; rejects when there is none. */
  async ping(): Promise<void> {
    await this.manager.query('SELECT 1');
  }

  async onModuleInit(): Promise<void> {
    const { settings } = this;
    this.opening = settings.dialect === 'sqlite' ? this.open() : this.openWithRetry(settings);
    // Whoever waits for it sees the failure; nobody waiting is no reason to end the process.
    this.opening.catch(() => undefined);
    if (settings.dialect === 'sqlite') {
      await this.opening.catch((error: unknown) => Promise.reject(fileFault(settings.file, error) as Error));
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    this.ready = false;
    await this.opening.catch(() => undefined);
    if (this.writer.isInitialized) {
      // After the last write, all that was written is in the file itself, and the log beside it empty.
      await this.clearLog().catch((error: unknown) => this.logger.error(error));
      if (this.reader !== this.writer) {
        await this.reader.destroy();
      }
      await this.writer.close();
    }
    await this.walSync?.close();
    this.fileLock?.release();
    this.fileLock = undefined;
  }

  private assertReady(): void {
    if (!this.ready && !this.inHook.getStore()) {
      throw new ServiceUnavailableError();
    }
  }

  private async open(): Promise<void> {
    this.stage = 'connecting';
    if (this.settings.dialect === 'sqlite') {
      this.fileLock ??= SqliteFileLock.acquire(this.settings.file);
    }
    await connect(this.writer, this.settings);
    this.stage = 'migrating';
    await migrate(this.writer, this.settings);
    if (this.settings.dialect === 'sqlite' && this.reader === this.writer) {
      this.reader = await bindNumbers(new DataSource(readerOptions(this.writer.options))).initialize();
      this.walSync = await WalSync.open(this.settings.file);
    }
    this.stage = 'preparing';
    await this.inHook.run(true, async () => {
      for (const hook of this.readyHooks) {
        await hook();
      }
    });
    this.ready = true;
  }

  private async openWithRetry(server: MysqlSettings): Promise<void> {
    const failures = new OpeningFailures(this.logger, server);
    for (;;) {
      try {
        await this.open();
        return failures.end();
      } catch (error) {
        if (this.closed) {
          throw error;
        }
        failures.judge(this.stage, error);
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_MILLISECONDS).unref());
      }
    }
  }

  private async transactWithRetry<Result>(
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<{ result: Result; afterCommit: (() => void)[] }> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.transact(work);
      } catch (error) {
        if (attempt === MOST_ATTEMPTS || !isTransactionConflict(error)) {
          throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
      }
    }
  }

  private async transact<Result>(
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<{ result: Result; afterCommit: (() => void)[] }> {
    const afterCommit: (() => void)[] = [];
    try {
      const result = await this.writer.transaction((manager) =>
        this.unitOfWork.run({ manager, afterCommit }, () => work(manager)),
      );
      return { result, afterCommit };
    } catch (error) {
      if (this.dialect === 'sqlite') {
        endTransaction(this.writer);
      }
      throw error;
    }
  }
}
