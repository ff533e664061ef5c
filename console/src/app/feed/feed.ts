import { api } from '../api';
import { type Entrance, FEED_KINDS, type Happening, OPENED, type ToTab, type ToWorker } from './feed-messages';
import address from './feed-worker?worker&url';

/**
 * A live feed of what the user does on other devices. If the browser supports shared workers, all tabs share one
 * connection; otherwise each tab opens its own.
 */
export class Feed {
  private readonly leaving = new AbortController();
  private readonly port: MessagePort | undefined;

  constructor(
    userId: number,
    private readonly onHappened: (event: Happening) => void,
    /** The ticket and position from the bootstrap response. */
    private readonly entrance?: Entrance,
  ) {
    const options = { type: 'module', name: `console-feed-${userId}` } as const;
    this.port = typeof SharedWorker === 'undefined' ? undefined : new SharedWorker(address, options).port;
    if (this.port) this.share(this.port);
    else void this.read();
  }

  dispose(): void {
    removeEventListener('pagehide', this.leave);
    removeEventListener('pageshow', this.join);
    this.leave();
    this.leaving.abort();
    this.port?.close();
  }

  private share(port: MessagePort): void {
    port.onmessage = ({ data }: MessageEvent<ToTab>) => {
      if (data.kind === 'happened') this.onHappened(data.event);
      else void this.sendTicket();
    };
    // A page in the back/forward cache receives no messages, so the worker must not request a ticket from it.
    addEventListener('pagehide', this.leave);
    addEventListener('pageshow', this.join);
    this.post({ kind: 'join', entrance: this.entrance });
  }

  private readonly join = (): void => this.post({ kind: 'join' });

  private readonly leave = (): void => this.post({ kind: 'leave' });

  private post(message: ToWorker): void {
    this.port?.postMessage(message);
  }

  private async sendTicket(): Promise<void> {
    const answer = await api.events.createTicket().catch(() => null);
    this.post({ kind: 'ticket', ticket: answer?.ticket ?? null });
  }

  /** Returns when the session ends. Other parts of the page handle that. */
  private async read(): Promise<void> {
    const after = this.entrance?.place ?? undefined;
    const onConnection = (state: 'open' | 'lost'): void => {
      if (state === 'open') this.onHappened({ ...OPENED, after });
    };
    try {
      const { signal } = this.leaving;
      for await (const event of api.events({ kinds: [...FEED_KINDS], after, signal, onConnection })) {
        this.onHappened({ timestamp: '', data: {}, ...event } as Happening);
      }
    } catch {
      // The session has ended.
    }
  }
}
