import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ServiceUnavailableError } from '../../common/errors/common.errors';
import { fileFault } from '../database.errors';
import { limitStatements, migrate, pendingMigrations } from '../migrating/migrate';
import { detectMysqlFlavour } from '../mysql/mysql-server';
import { ReaderThread } from '../sqlite/reader-thread';
import { bindNumbers } from '../sqlite/sqlite-driver';
import { SqliteFileLock } from '../sqlite/sqlite-file-lock';
import { WalSync } from '../sqlite/wal-sync';
import type { ConnectionSettings, MysqlSettings } from './connection-settings';
import { readerOptions } from './data-source-options';
import { OpeningFailures, type OpeningStage } from './opening-failure';
import type { ServiceDataSource } from './service-data-source';

const RECONNECT_MILLISECONDS = 1_000;

/** How the service treats a database of another version. */
export interface MigrationChoices {
  /** Whether this process migrates the database. Otherwise it waits until another process has done so. */
  migrates: boolean;
  /** Whether it starts with a database of a later version. */
  allowsNewer: boolean;
}

/** Why the database is not ready: this process is migrating it, or another process has to migrate it. */
export type MigrationState = 'migrating' | 'migrations_pending';

/**
 * Opens and closes the database. It connects, migrates, runs the hooks that prepare the data, and only then serves the
 * rest of the service. A SQLite file must open before the service starts, otherwise the start fails; its migrations run
 * while the service already listens. A database server may start later than the service, so connecting is retried.
 */
export class DatabaseOpening {
  private readonly logger = new Logger('Database');
  /** Marks the calls of the hooks, while only hooks may use the database. */
  private readonly inHook = new AsyncLocalStorage<true>();
  private readonly hooks: (() => Promise<void>)[] = [];
  private stage: OpeningStage = 'connecting';
  private opened: Promise<void> = Promise.resolve();
  /** Null if the schema is that of this version, or not known yet. */
  migrationState: MigrationState | null = null;
  private ready = false;
  private readonly stopping = new AbortController();
  private separateReader: DataSource | undefined;
  private fileLock: SqliteFileLock | undefined;
  private walSync: WalSync | undefined;
  private readerThread: ReaderThread | undefined;

  constructor(
    readonly writer: ServiceDataSource,
    readonly settings: ConnectionSettings,
    private readonly choices: MigrationChoices = { migrates: true, allowsNewer: false },
  ) {}

  /** For slow reads on SQLite. */
  get thread(): ReaderThread {
    if (this.settings.dialect !== 'sqlite') {
      throw new Error('Only SQLite is read in a thread.');
    }
    return (this.readerThread ??= new ReaderThread(this.settings.file));
  }

  /** The connection for reads outside transactions. On SQLite it is read-only. */
  get reader(): DataSource {
    return this.separateReader ?? this.writer;
  }

  get isReady(): boolean {
    return this.ready;
  }

  /** @throws ServiceUnavailableError until the database is ready; hooks may use it earlier */
  assertServes(): void {
    if (!this.ready && !this.inHook.getStore()) {
      throw new ServiceUnavailableError();
    }
  }

  addHook(hook: () => Promise<void>): void {
    this.hooks.push(hook);
  }

  /** Resolves when the database is ready; rejects if waiting would not help. */
  whenReady(): Promise<void> {
    return this.opened;
  }

  /**
   * Does not wait for a server or for migrations.
   *
   * @throws OperatorError if the SQLite file cannot be used
   */
  async start(): Promise<void> {
    const { settings } = this;
    if (settings.dialect === 'mysql') {
      this.opened = this.openWithRetry(settings);
      // Waiting callers get the failure. Without callers, an unhandled rejection would end the process.
      this.opened.catch(() => undefined);
      return;
    }
    const asSentence = (error: unknown): Promise<never> => Promise.reject(fileFault(settings.file, error));
    const isMigrated = await this.openFile(settings.file).catch(async (error: unknown) => {
      await this.close();
      return asSentence(error);
    });
    this.opened = this.open().catch(asSentence);
    this.opened.catch(() => undefined);
    if (isMigrated) {
      await this.opened;
    }
  }

  /**
   * Resolves when everything that is committed would survive a power failure. A database server ensures this itself.
   */
  async synced(): Promise<void> {
    await this.walSync?.committed();
  }

  /** Refuses new callers from now on. Running work may finish. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.ready = false;
    await this.opened.catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.readerThread?.close();
    if (this.separateReader?.isInitialized) {
      await this.separateReader.destroy();
    }
    if (this.writer.isInitialized) {
      await this.writer.close();
    }
    await this.walSync?.close();
    this.fileLock?.release();
    this.fileLock = undefined;
  }

  /** Connects SQLite. @returns whether it needs no migration */
  private async openFile(file: string): Promise<boolean> {
    this.fileLock ??= SqliteFileLock.acquire(file);
    await connect(this.writer, this.settings);
    return (await pendingMigrations(this.writer, this.choices.allowsNewer)).length === 0;
  }

  private async open(): Promise<void> {
    const { settings, writer } = this;
    this.stage = 'connecting';
    await connect(writer, settings);
    this.stage = 'migrating';
    await this.migrate();
    this.assertNotStopped();
    if (settings.dialect === 'sqlite' && !this.separateReader) {
      this.separateReader = await bindNumbers(new DataSource(readerOptions(writer.options))).initialize();
      this.walSync = await WalSync.open(settings.file);
    }
    this.stage = 'preparing';
    await this.inHook.run(true, async () => {
      for (const hook of this.hooks) {
        await hook();
      }
    });
    this.assertNotStopped();
    this.ready = true;
    // While such a storage is enabled, it slows down every promise on Node 20.
    this.inHook.disable();
  }

  /**
   * If the process stops during a migration, it must not run the hooks or serve requests.
   *
   * @throws ServiceUnavailableError
   */
  private assertNotStopped(): void {
    if (this.stopping.signal.aborted) {
      throw new ServiceUnavailableError();
    }
  }

  /** @throws NewerSchemaError */
  private async migrate(): Promise<void> {
    const count = async (): Promise<number> => (await pendingMigrations(this.writer, this.choices.allowsNewer)).length;
    const pending = await count();
    if (pending > 0) {
      this.migrationState = this.choices.migrates ? 'migrating' : 'migrations_pending';
      await (this.choices.migrates ? migrate(this.writer, this.settings) : this.waitUntilMigrated(pending, count));
      this.migrationState = null;
    }
    limitStatements(this.writer);
  }

  /** @param count returns how many migrations are pending */
  private async waitUntilMigrated(pending: number, count: () => Promise<number>): Promise<void> {
    this.logger.warn(
      `${pending} migrations are pending, and MIGRATE=false: run \`npm run migrate\` (node dist/migrate.js). Requests are ` +
        'answered with 503 until then.',
    );
    while ((await count()) > 0) {
      await this.pause();
    }
    this.logger.log('The database is migrated.');
  }

  private async openWithRetry(server: MysqlSettings): Promise<void> {
    const failures = new OpeningFailures(this.logger, server);
    for (;;) {
      try {
        await this.open();
        return failures.end();
      } catch (error) {
        if (this.stopping.signal.aborted) {
          throw error;
        }
        failures.judge(this.stage, error);
        await this.pause();
      }
    }
  }

  /**
   * Keeps the process alive, because nothing else does while the migration command waits.
   *
   * @throws ServiceUnavailableError when the service stops
   */
  private async pause(): Promise<void> {
    try {
      await delay(RECONNECT_MILLISECONDS, undefined, { signal: this.stopping.signal });
    } catch (error) {
      throw new ServiceUnavailableError(error);
    }
  }
}

/** Connects a data source unless it is connected already. */
export async function connect(dataSource: DataSource, settings: ConnectionSettings): Promise<void> {
  if (dataSource.isInitialized) {
    return;
  }
  if (settings.dialect === 'mysql') {
    await detectMysqlFlavour(dataSource, settings);
  } else {
    bindNumbers(dataSource);
  }
  await dataSource.initialize();
}
