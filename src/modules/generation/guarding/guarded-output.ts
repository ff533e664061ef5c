import type { CompletionListener } from '../../../integrations/llm/port/language-model-provider';
import { MaskRestorer } from '../../guard/guard.api';
import { GuardedEvents } from './guarded-events';
import { type GuardedPart, guardPart, releasedArguments } from './guarded-part';
import type { GrowingKind, GuardedReply } from './guarded-reply';
import { type OutputPiece, shownText, withPieces } from './window-release';

/** Receives the released output. */
export type OutputTarget = Pick<CompletionListener, 'onText' | 'onReasoning' | 'onToolCall' | 'onToolArguments'> & {
  onCitation(number: number): void;
};

/** The output of a model before its guards. */
type OutputItem =
  | { kind: GrowingKind; piece: OutputPiece }
  | { kind: 'call'; index: number; call: { id: string; name: string } }
  | { kind: 'arguments'; index: number; text: string }
  | { kind: 'event'; text: string };

interface WaitingCall {
  call: { id: string; name: string };
  text: string;
}

/**
 * Passes the output of one model call to its guards, and what they release to the reply. The provider is not slowed down:
 * its output waits here while a guard is called. Calls of functions are released at the end, because their arguments are
 * checked as a whole.
 */
export class GuardedOutput {
  private readonly queue: OutputItem[] = [];
  private readonly parts: Partial<Record<GrowingKind, { part: GuardedPart; restorer: MaskRestorer }>> = {};
  private readonly calls = new Map<number, WaitingCall>();
  private readonly controller = new AbortController();
  /** For a provider whose own events are passed on. All other output only repeats them. */
  private events: GuardedEvents | null = null;
  private working: Promise<void> | null = null;
  private failed: { error: unknown } | null = null;

  /** @param eventTarget receives the output of a provider whose own events are passed on */
  constructor(
    private readonly reply: GuardedReply,
    private readonly target: OutputTarget,
    private readonly eventTarget: CompletionListener,
  ) {}

  /** Aborted when a guard blocks the output, or must decide and cannot. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Why the output ended early. Null: it did not. */
  get failure(): { error: unknown } | null {
    return this.failed;
  }

  /** The output that was not released. */
  get withheld(): string {
    const waiting = this.queue.map((item) => ('piece' in item ? shownText(item.piece) : ''));
    const calls = [...this.calls.values()].map(({ text }) => text);
    const parts = [this.parts.reasoning?.part.rest ?? '', this.parts.text?.part.rest ?? ''];
    return [...parts, this.events?.withheld ?? '', ...calls, ...waiting].join('');
  }

  take(item: OutputItem): void {
    this.queue.push(item);
    this.working ??= this.work();
  }

  /** A listener for the provider. @param listener receives what is not output */
  listenerFor(listener: CompletionListener): CompletionListener {
    return {
      ...listener,
      onText: (piece) => this.take({ kind: 'text', piece }),
      onReasoning: (piece) => this.take({ kind: 'reasoning', piece }),
      onEvent: (text) => this.take({ kind: 'event', text }),
      // Until something is released, the reply may still fail with a status of its own.
      onActivity: () => undefined,
      ...(listener.onToolCall && {
        onToolCall: (index, call) => this.take({ kind: 'call', index, call }),
        onToolArguments: (index, text) => this.take({ kind: 'arguments', index, text }),
      }),
    };
  }

  /** Releases the rest. @throws OutputBlockedError, GuardUnavailableError */
  async end(): Promise<void> {
    await this.working;
    try {
      this.throwIfFailed();
      await this.endPart('reasoning');
      await this.endPart('text');
      await this.releaseCalls();
    } catch (error) {
      this.fail(error);
    }
    this.throwIfFailed();
  }

  private throwIfFailed(): void {
    if (this.failed !== null) {
      throw this.failed.error;
    }
  }

  private async work(): Promise<void> {
    // The pieces of one read arrive together.
    await Promise.resolve();
    try {
      while (this.queue.length > 0 && this.failed === null) {
        await this.takeNext();
      }
    } catch (error) {
      this.fail(error);
    }
    this.working = null;
  }

  private fail(error: unknown): void {
    this.failed ??= { error };
    this.controller.abort();
  }

  private async takeNext(): Promise<void> {
    const item = this.queue.shift() as OutputItem;
    if (item.kind === 'event') {
      this.events ??= new GuardedEvents(this.reply, this.signal, this.eventTarget);
      await this.events.take(item.text);
    } else if (this.events !== null) {
      return;
    } else if (item.kind === 'call') {
      this.calls.set(item.index, { call: item.call, text: '' });
    } else if (item.kind === 'arguments') {
      const call = this.calls.get(item.index);
      Object.assign(call ?? {}, { text: (call?.text ?? '') + item.text });
    } else {
      if (item.kind === 'text') {
        await this.endPart('reasoning');
      }
      await this.partOf(item.kind).take([item.piece, ...this.following(item.kind)]);
    }
  }

  /** The pieces of the same kind that wait. */
  private following(kind: GrowingKind): OutputPiece[] {
    const end = this.queue.findIndex((item) => item.kind !== kind);
    const same = this.queue.splice(0, end < 0 ? this.queue.length : end);
    return same.flatMap((item) => ('piece' in item ? [item.piece] : []));
  }

  private partOf(kind: GrowingKind): GuardedPart {
    const open = this.parts[kind];
    if (open !== undefined) {
      return open.part;
    }
    const { scope, masks, guards, released } = this.reply;
    const restorer = new MaskRestorer(masks);
    const context = { part: kind, scope, masks, signal: this.signal, before: released[kind] };
    const part = guardPart(guards, context, (pieces) => this.show(kind, restorer, pieces));
    this.parts[kind] = { part, restorer };
    return part;
  }

  private async endPart(kind: GrowingKind): Promise<void> {
    const open = this.parts[kind];
    if (open !== undefined) {
      await open.part.end();
      this.write(kind, open.restorer.end());
      delete this.parts[kind];
    }
  }

  private async show(kind: GrowingKind, restorer: MaskRestorer, pieces: readonly OutputPiece[]): Promise<void> {
    const { released, saveMasks } = this.reply;
    await saveMasks();
    for (const piece of pieces) {
      if (typeof piece === 'string') {
        this.write(kind, restorer.read(piece));
      } else {
        this.write(kind, restorer.end() + shownText(piece));
      }
      if (typeof piece === 'number') {
        this.target.onCitation(piece);
      }
    }
    released[kind] = withPieces(released[kind], pieces);
  }

  private write(kind: GrowingKind, text: string): void {
    if (text !== '' && kind === 'text') {
      this.target.onText(text);
    } else if (text !== '') {
      this.target.onReasoning?.(text);
    }
  }

  /** All are checked before the first is released. */
  private async releaseCalls(): Promise<void> {
    const checked: [index: number, call: WaitingCall][] = [];
    for (const [index, { call, text }] of this.calls) {
      checked.push([index, { call, text: await releasedArguments(this.reply, text, this.signal) }]);
    }
    this.calls.clear();
    for (const [index, { call, text }] of checked) {
      this.target.onToolCall?.(index, call);
      if (text !== '') {
        this.target.onToolArguments?.(index, text);
      }
    }
  }
}
