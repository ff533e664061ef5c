import type { ReplyTokenUsage } from '../../../common/token-usage';
import type { FinishReason, MessageFailure, MessageStatus } from '../entities/message.entity';

/** How a reply has ended. */
export interface ReplyEnd {
  status: Exclude<MessageStatus, 'streaming'>;
  finishReason: FinishReason | null;
  /** Null only for replies that failed before anything was counted. */
  usage: ReplyTokenUsage | null;
  failure: MessageFailure | null;
  /** The title that the conversation got from this exchange. */
  title: string | null;
}

/** Is told of a reply's progress, synchronously, as it happens. */
export interface ReplyListener {
  onText(text: string): void;
  /** A piece of what the model thinks. */
  onReasoning?(text: string): void;
  /** The model has given its first sign of life, without anything to show. */
  onLife?(): void;
  /** The reply has ended, and is stored. */
  onEnd(end: ReplyEnd): void;
}

/**
 * The text of a reply, what its model thought, and where it stands. Readers share these and keep only their own offsets
 * into them, so that any number of them, and of slow ones, costs no copies. Offsets are UTF-16 units, as JavaScript counts
 * them.
 */
export class LiveReply {
  text = '';
  /** Never part of the text. */
  reasoning = '';
  /** Whether the model has given a sign of life. */
  isAlive = false;
  end: ReplyEnd | null = null;
  private readonly listeners = new Set<ReplyListener>();
  private readers = 0;
  private readonly whenLeft = new Set<() => void>();

  constructor(
    readonly chatId: number,
    readonly userMessageId: number,
    readonly messageId: number,
  ) {}

  get hasListeners(): boolean {
    return this.listeners.size > 0;
  }

  get hasReaders(): boolean {
    return this.readers > 0;
  }

  /** A client waits for the reply, or reads it. */
  enter(): void {
    this.readers++;
  }

  /** That client is gone. */
  leave(): void {
    this.readers--;
    if (!this.hasReaders) {
      this.whenLeft.forEach((settle) => settle());
      this.whenLeft.clear();
    }
  }

  /** Waits so many milliseconds for the last client to leave; false when somebody is there still. */
  async isLeftWithin(milliseconds: number): Promise<boolean> {
    if (this.hasReaders) {
      await within(milliseconds, new Promise<void>((settle) => this.whenLeft.add(settle)));
    }
    return !this.hasReaders;
  }

  append(text: string): void {
    this.isAlive = true;
    this.text += text;
    for (const listener of this.listeners) {
      listener.onText(text);
    }
  }

  reason(text: string): void {
    this.isAlive = true;
    this.reasoning += text;
    for (const listener of this.listeners) {
      listener.onReasoning?.(text);
    }
  }

  showLife(): void {
    if (!this.isAlive) {
      this.isAlive = true;
      for (const listener of this.listeners) {
        listener.onLife?.();
      }
    }
  }

  finish(end: ReplyEnd): void {
    this.end = end;
    for (const listener of this.listeners) {
      listener.onEnd(end);
    }
    this.listeners.clear();
  }

  attach(listener: ReplyListener): void {
    this.listeners.add(listener);
  }

  detach(listener: ReplyListener): void {
    this.listeners.delete(listener);
  }

  /** Waits for a sign of life, or the end, so many milliseconds at most. */
  async startsWithin(milliseconds: number): Promise<void> {
    if (!this.isAlive) {
      await this.when(onAnything, milliseconds);
    }
  }

  whenEnded(): Promise<void> {
    return this.when(onEnd);
  }

  /** Waits for the end so many milliseconds; false when it has not come by then. */
  async endsWithin(milliseconds: number): Promise<boolean> {
    await this.when(onEnd, milliseconds);
    return this.end !== null;
  }

  /** A timer has the process wait for nothing but the client, whose connection keeps it alive anyway. */
  private when(listenerOf: (settle: () => void) => ReplyListener, milliseconds?: number): Promise<void> {
    if (this.end !== null) {
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.detach(listener);
        resolve();
      };
      const listener = listenerOf(settle);
      const timer = milliseconds === undefined ? undefined : setTimeout(settle, milliseconds).unref();
      this.attach(listener);
    });
  }
}

/** Waits for something, but no longer than so many milliseconds. */
async function within(milliseconds: number, awaited: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
  await Promise.race([awaited, timeout]);
  clearTimeout(timer);
}

function onAnything(settle: () => void): ReplyListener {
  return { onText: settle, onReasoning: settle, onLife: settle, onEnd: settle };
}

function onEnd(settle: () => void): ReplyListener {
  return { onText: () => undefined, onEnd: settle };
}

/** Where the character begins in which `offset` lies: a surrogate pair is given out whole. */
export function characterStart(text: string, offset: number): number {
  const isWithin = isHalf(text.charCodeAt(offset - 1), 0xd800) && isHalf(text.charCodeAt(offset), 0xdc00);
  return isWithin ? offset - 1 : offset;
}

/** Whether a UTF-16 unit is such a half of a surrogate pair: the first ones begin at 0xd800, the second at 0xdc00. */
function isHalf(unit: number, first: number): boolean {
  return unit >= first && unit < first + 0x400;
}
