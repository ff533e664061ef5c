import type { AppliedGuard, GuardPart, GuardScope, Masks } from '../../guard/guard.api';
import type { GuardedReply } from './guarded-reply';
import {
  lengthOf,
  OutputBlockedError,
  type OutputPiece,
  type ReleasedText,
  shownText,
  type WindowCheck,
  WindowRelease,
  type WindowVerdict,
} from './window-release';

/** A guard of a part: releases the pieces that it has checked. */
interface PartGuard {
  readonly rest: string;
  take(pieces: readonly OutputPiece[]): Promise<OutputPiece[]>;
  end(): Promise<OutputPiece[]>;
}

/** What the guards of a part have in common. */
export interface GuardedPartContext {
  part: GuardPart;
  scope: GuardScope;
  masks: Masks;
  signal: AbortSignal;
  before?: ReleasedText;
  /** Whether guards see only the whole part. Absent: they see it as it grows. */
  isWhole?: boolean;
  /** Whether a finding blocks instead of being masked. Absent: no. */
  isSigned?: boolean;
}

/** Shows a guard the output without delaying or changing it. */
class Report implements PartGuard {
  readonly rest = '';
  private text = '';
  private shown = 0;
  private fresh = 0;
  private calls: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly window: number,
    private readonly check: (part: WindowCheck) => Promise<unknown>,
  ) {}

  take(pieces: readonly OutputPiece[]): Promise<OutputPiece[]> {
    const added = pieces.map(shownText).join('');
    this.text += added;
    this.fresh += lengthOf(added);
    if (this.window > 0 && this.fresh >= this.window) {
      this.callGuard(false);
    }
    return Promise.resolve([...pieces]);
  }

  end(): Promise<OutputPiece[]> {
    if (this.text !== '') {
      this.callGuard(true);
    }
    return Promise.resolve([]);
  }

  /** Each text is seen together with the window before it. */
  private callGuard(final: boolean): void {
    const { text, shown: offset } = this;
    const kept = [...text].slice(-this.window).join('');
    this.calls = this.calls.then(() => this.check({ text, offset, final })).catch(() => undefined);
    this.text = this.window === 0 ? '' : kept;
    this.shown += lengthOf(text) - lengthOf(this.text);
    this.fresh = 0;
  }
}

/** Passes a part of the output through all guards, one after the other. */
export class GuardedPart {
  constructor(
    private readonly guards: readonly PartGuard[],
    private readonly onReleased: (pieces: readonly OutputPiece[]) => Promise<void> | void,
  ) {}

  /** The text that the guards have not released. */
  get rest(): string {
    return this.guards.map(({ rest }) => rest).join('');
  }

  take(pieces: readonly OutputPiece[]): Promise<void> {
    return this.passOn(pieces, 0);
  }

  /** Ends the part: everything is released. */
  async end(): Promise<void> {
    for (const [index, guard] of this.guards.entries()) {
      await this.passOn(await guard.end(), index + 1);
    }
  }

  private async passOn(pieces: readonly OutputPiece[], from: number): Promise<void> {
    let left = pieces;
    for (const guard of this.guards.slice(from)) {
      left = left.length === 0 ? left : await guard.take(left);
    }
    if (left.length > 0) {
      await this.onReleased(left);
    }
  }
}

/** A part with the guards of the output, in their order. */
export function guardPart(
  guards: readonly AppliedGuard[],
  { part, scope, masks, signal, before, isWhole = false, isSigned = false }: GuardedPartContext,
  onReleased: (pieces: readonly OutputPiece[]) => Promise<void> | void,
): GuardedPart {
  const parts = guards.map((guard) => {
    const window = isWhole ? 0 : guard.window;
    const check = async (checked: WindowCheck): Promise<WindowVerdict> => {
      const { action, spans } = await guard.check({ stage: 'output', part, ...checked }, scope, signal);
      return { action: isSigned && action === 'mask' ? 'block' : action, spans };
    };
    return guard.mode === 'report' ? new Report(window, check) : new WindowRelease(window, masks, check, before);
  });
  return new GuardedPart(parts, onReleased);
}

/** Arguments of a call that the guards have checked as a whole. @throws OutputBlockedError, GuardUnavailableError */
export async function releasedArguments(
  { scope, masks, guards, saveMasks }: GuardedReply,
  text: string,
  signal: AbortSignal,
): Promise<string> {
  const released: OutputPiece[] = [];
  const context = { part: 'arguments' as const, scope, masks, signal, isWhole: true };
  const part = guardPart(guards, context, (pieces) => void released.push(...pieces));
  await part.take([text]);
  await part.end();
  await saveMasks();
  const written = (quote: string): string =>
    released
      .map((piece) =>
        typeof piece === 'string' ? masks.restoreJson(piece, 'tools') : quote + shownText(piece) + quote,
      )
      .join('');
  const found = ['', '"'].map(written).find(isJson);
  // A mask in place of a number must be quoted. Clients cannot read arguments that are no longer JSON.
  if (found === undefined && isJson(text)) {
    throw new OutputBlockedError();
  }
  return found ?? written('');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
