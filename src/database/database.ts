import { AsyncLocalStorage } from 'node:async_hooks';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Injectable, Logger, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { EntityManager, EntityTarget, ObjectLiteral, Repository } from 'typeorm';
import type { ConnectionSettings } from './connection/connection-settings';
import { DatabaseOpening, type MigrationChoices, type MigrationState } from './connection/database-opening';
import type { ServiceDataSource } from './connection/service-data-source';
import { repeatConflicts } from './mysql/conflicts';
import { transactOnMysql, type WriteKind } from './mysql/mysql-transaction';
import type { ReaderStatement } from './sqlite/reader-thread.worker';
import { endTransaction, transactOnSqlite } from './sqlite/sqlite-transaction';
import { WriteQueue } from './sqlite/write-queue';

interface UnitOfWork {
  manager: EntityManager;
  afterCommit: (() => void)[];
}

interface Transaction<Result> {
  result: Result;
  afterCommit: (() => void)[];
}

/**
 * The only access to the service's data: reads go through `manager` or `repository`, every write goes through `write`.
 * `DatabaseOpening` opens and closes the database. The functions of `statements` hide the differences between the
 * databases: row locks, claims, counters, batches, text search.
 *
 * On SQLite, TypeORM has one writing connection for the whole process, so concurrent transactions wait in a queue. On
 * MySQL they run in parallel, and a transaction that conflicted with others runs again.
 */
@Injectable()
export class Database implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(Database.name);
  private readonly opening: DatabaseOpening;
  private readonly unitOfWork = new AsyncLocalStorage<UnitOfWork>();
  private readonly writeQueue = new WriteQueue();
  /** Running transactions. */
  private openUnits = 0;

  constructor(
    private readonly writer: ServiceDataSource,
    private readonly settings: ConnectionSettings,
    choices?: MigrationChoices,
  ) {
    this.opening = new DatabaseOpening(writer, settings, choices);
  }

  /** Only for this folder. Other code calls the functions of this folder, which handle the differences. */
  get dialect(): ConnectionSettings['dialect'] {
    return this.settings.dialect;
  }

  /** The name of the kind of database, for reports. */
  get kind(): string {
    return this.settings.dialect;
  }

  /** Whether other instances may use the same data. A SQLite file belongs to one process. */
  get isShared(): boolean {
    return this.dialect !== 'sqlite';
  }

  /** True if the database is connected and migrated, and the hooks have run. */
  get isReady(): boolean {
    return this.opening.isReady;
  }

  /** Why the schema is not ready; null if it is that of this version, or not known yet. */
  get migrationState(): MigrationState | null {
    return this.opening.migrationState;
  }

  /**
   * Inside `write`, the manager of the transaction. Outside it, a manager for reading only.
   *
   * @throws ServiceUnavailableError while the database is not connected
   */
  get manager(): EntityManager {
    const unit = this.unitOfWork.getStore();
    if (unit) {
      return unit.manager;
    }
    this.opening.assertServes();
    return this.opening.reader.manager;
  }

  /** A repository over `manager`. Do not keep it, because it belongs to the current transaction. */
  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity> {
    return this.manager.getRepository(entity);
  }

  /**
   * The unit of work: `work` is committed completely or not at all. A nested call joins the outer one. `work` may run
   * again after a deadlock, and it must not wait for the network.
   *
   * @throws ServiceUnavailableError while the database is not connected
   */
  write<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return this.writeOn('transactions', work);
  }

  /** Only for signs of life. On a server they have a reserved connection, which commits each statement separately. */
  writeSign<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return this.writeOn('signs', work);
  }

  private async writeOn<Result>(kind: WriteKind, work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    const surrounding = this.unitOfWork.getStore();
    if (surrounding) {
      return work(surrounding.manager);
    }
    this.opening.assertServes();
    const { result, afterCommit } = this.isShared
      ? await repeatConflicts(() => this.transact(kind, work))
      : await this.writeQueue.run(() => this.transact(kind, work));
    // The caller and the callbacks are notified of the commit only after the change is on the disk.
    await this.opening.synced();
    for (const callback of afterCommit) {
      callback();
    }
    return result;
  }

  /** Runs a slow read on SQLite outside the event loop: see `ReaderThread`. */
  async readOnThread<Row>(statement: ReaderStatement): Promise<Row[]> {
    this.opening.assertServes();
    return (await this.opening.thread.read(statement)) as Row[];
  }

  /** Call it inside `write`: `callback` runs after the commit, outside of the transaction. */
  onCommit(callback: () => void): void {
    const unit = this.unitOfWork.getStore();
    if (!unit) {
      throw new Error('onCommit was called outside of a unit of work.');
    }
    unit.afterCommit.push(callback);
  }

  /**
   * `hook` prepares the data after the database is connected and migrated, before other code may use it. After a
   * failure it runs again. Call it in a constructor.
   */
  onReady(hook: () => Promise<void>): void {
    this.opening.addHook(hook);
  }

  /**
   * Resolves when the database is connected, migrated and the hooks have run.
   *
   * @throws OperatorError if the database refuses and waiting would not help
   */
  whenReady(): Promise<void> {
    return this.opening.whenReady();
  }

  /** Queries the database; rejects if it does not answer. */
  async ping(): Promise<void> {
    await this.manager.query('SELECT 1');
  }

  /** Free bytes on the disk of the SQLite file; null for a server, whose disk is unknown. */
  async freeBytes(): Promise<number | null> {
    if (this.settings.dialect !== 'sqlite') {
      return null;
    }
    const { bavail, bsize } = await statfs(dirname(this.settings.file));
    return bavail * bsize;
  }

  /**
   * Also removes deleted data from SQLite's write-ahead log, which contains earlier versions of pages. The operator of
   * a database server is responsible for its logs.
   */
  async clearLog(): Promise<void> {
    if (!this.isShared) {
      await this.opening.thread.whileIdle(() =>
        this.writeQueue.run(() => this.writer.query('PRAGMA wal_checkpoint(TRUNCATE)')),
      );
    }
  }

  async onModuleInit(): Promise<void> {
    await this.opening.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.opening.stop();
    if (this.writer.isInitialized) {
      // After the last write, all data is in the file itself, and its log is empty.
      await this.clearLog().catch((error: unknown) => this.logger.error(error));
    }
    await this.opening.close();
  }

  private async transact<Result>(
    kind: WriteKind,
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<Transaction<Result>> {
    const afterCommit: (() => void)[] = [];
    this.openUnits++;
    try {
      const perform = (manager: EntityManager): Promise<Result> =>
        this.unitOfWork.run({ manager, afterCommit }, () => work(manager));
      const result = this.isShared
        ? await transactOnMysql(this.writer, perform, kind)
        : await transactOnSqlite(this.writer, perform);
      return { result, afterCommit };
    } catch (error) {
      if (!this.isShared) {
        endTransaction(this.writer);
      }
      throw error;
    } finally {
      this.openUnits--;
      if (this.openUnits === 0) {
        // While the storage is enabled, it slows down every promise on Node 20. `run` enables it again.
        this.unitOfWork.disable();
      }
    }
  }
}
