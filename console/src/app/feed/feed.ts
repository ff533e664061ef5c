import { api } from '../api';
import { FEED_KINDS, type Happening, OPENED, type ToTab, type ToWorker } from './feed-messages';
import address from './feed-worker?worker&url';

/**
 * What happens to the person on other devices, as it happens. All tabs of a browser share one connection, where it has
 * shared workers; elsewhere each tab has its own.
 */
export class Feed {
  private readonly leaving = new AbortController();
  private readonly port: MessagePort | undefined;

  constructor(
    userId: number,
    private readonly onHappened: (event: Happening) => void,
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
    // A page that is kept for going back hears nothing, and must not be asked.
    addEventListener('pagehide', this.leave);
    addEventListener('pageshow', this.join);
    this.join();
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

  /** Ends with the session, which other parts of the page notice. */
  private async read(): Promise<void> {
    const onConnection = (state: 'open' | 'lost'): void => {
      if (state === 'open') this.onHappened(OPENED);
    };
    try {
      for await (const event of api.events({ kinds: [...FEED_KINDS], signal: this.leaving.signal, onConnection })) {
        this.onHappened({ timestamp: '', data: {}, ...event } as Happening);
      }
    } catch {
      // Nobody is there any more.
    }
  }
}
