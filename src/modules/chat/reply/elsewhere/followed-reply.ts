import { LiveReply } from '../live-reply';

/** A reply that another instance writes, as far as this one has heard of it. */
export class FollowedReply extends LiveReply {
  private wakeUp: (() => void) | null = null;

  /** Takes a piece of the text; what is known already, or would leave a gap, is dropped. */
  extend(offset: number, text: string): void {
    const added = this.end === null ? newPart(this.text, offset, text) : '';
    if (added !== '') {
      this.append(added);
    }
  }

  /** As `extend`, of what the model thinks. */
  extendReasoning(offset: number, text: string): void {
    const added = this.end === null ? newPart(this.reasoning, offset, text) : '';
    if (added !== '') {
      this.reason(added);
    }
  }

  /** Waits so many milliseconds, or until `wake`. */
  async pause(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wakeUp = null;
  }

  wake(): void {
    this.wakeUp?.();
  }
}

/** What a piece adds to what is known; nothing where it would leave a gap. */
function newPart(known: string, offset: number, piece: string): string {
  const overlap = known.length - offset;
  return overlap < 0 ? '' : piece.slice(overlap);
}
