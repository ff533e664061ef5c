import { LiveReply } from './live-reply';

/** A reply that another instance writes, as far as this one has heard of it. */
export class FollowedReply extends LiveReply {
  private wakeUp: (() => void) | null = null;

  /** Takes a piece of the text; what is known already, or would leave a gap, is dropped. */
  extend(offset: number, text: string): void {
    const known = this.text.length - offset;
    if (this.end === null && known >= 0 && known < text.length) {
      this.append(text.slice(known));
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
