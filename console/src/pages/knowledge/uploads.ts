import { signal } from '@preact/signals';
import { api } from '../../app/api';
import { failureText } from '../../app/failure-text';

/** The service accepts eight of a user at once, in all windows. */
const MOST_AT_ONCE = 3;

/** A file on its way to a collection. */
export class Upload {
  /** The part that was sent, from 0 to 1; null while it waits for its turn. */
  readonly part = signal<number | null>(null);
  readonly failure = signal<string | null>(null);
  leaving = new AbortController();

  constructor(
    readonly storeId: number,
    readonly file: File,
  ) {}
}

/** The uploads of a user. They continue while other pages of the console are open. */
export class Uploads {
  /** Those that are waiting, running or failed. */
  readonly list = signal<readonly Upload[]>([]);
  /** Number of files that were stored. */
  readonly stored = signal(0);
  private running = 0;

  add(storeId: number, files: readonly File[]): void {
    this.list.value = [...this.list.value, ...files.map((file) => new Upload(storeId, file))];
    this.startMore();
  }

  /** Cancels an upload, or removes a failed one. */
  remove(upload: Upload): void {
    upload.leaving.abort();
    this.list.value = this.list.value.filter((other) => other !== upload);
  }

  retry(upload: Upload): void {
    upload.failure.value = null;
    upload.part.value = null;
    this.startMore();
  }

  dispose(): void {
    this.list.value.forEach((upload) => upload.leaving.abort());
    this.list.value = [];
  }

  private startMore(): void {
    while (this.running < MOST_AT_ONCE) {
      const next = this.list.peek().find(({ part, failure }) => part.peek() === null && failure.peek() === null);
      if (!next) return;
      next.part.value = 0;
      this.running += 1;
      void this.send(next);
    }
  }

  private async send(upload: Upload): Promise<void> {
    const { storeId, file, leaving } = upload;
    try {
      await api.knowledge.addFile({
        path: { id: storeId },
        body: { file },
        signal: leaving.signal,
        onProgress: (part) => (upload.part.value = part),
      });
      this.list.value = this.list.value.filter((other) => other !== upload);
      this.stored.value += 1;
    } catch (error) {
      if (!leaving.signal.aborted) upload.failure.value = failureText(error);
    }
    this.running -= 1;
    this.startMore();
  }
}
