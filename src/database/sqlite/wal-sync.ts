import { type FileHandle, open } from 'node:fs/promises';

/**
 * Makes committed transactions of a SQLite database durable without blocking the event loop. SQLite itself does not
 * wait for the disk at a commit (`synchronous = NORMAL`). The caller waits here until the write-ahead log is on the
 * disk. One call to the operating system covers all commits before it.
 */
export class WalSync {
  private running: Promise<void> | null = null;
  private next: Promise<void> | null = null;

  private constructor(private readonly log: FileHandle) {}

  /**
   * @param file the database; its connection is open and in WAL mode, so that the log exists and stays the same file
   */
  static async open(file: string): Promise<WalSync> {
    return new WalSync(await open(`${file}-wal`, 'r+'));
  }

  /** Resolves when everything that is committed would survive a power failure. */
  committed(): Promise<void> {
    this.next ??= (this.running ?? Promise.resolve()).catch(() => undefined).then(() => this.begin());
    return this.next;
  }

  async close(): Promise<void> {
    await this.log.close();
  }

  private begin(): Promise<void> {
    this.next = null;
    const running = this.log.datasync().finally(() => {
      if (this.running === running) {
        this.running = null;
      }
    });
    this.running = running;
    return running;
  }
}
