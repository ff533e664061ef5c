import type { ToolProgress } from '../../../tool/tool.api';

/** Ten a second. */
const PAUSE_MILLISECONDS = 100;

/** Passes on how far a call has come, not too often, and the newest in any case. */
export class ProgressThrottle {
  private toldAt = -Infinity;
  private waiting: ToolProgress | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly show: (progress: ToolProgress) => void) {}

  tell(progress: ToolProgress): void {
    this.waiting = progress;
    const left = this.toldAt + PAUSE_MILLISECONDS - performance.now();
    if (left <= 0) this.showNow();
    else this.timer ??= setTimeout(() => this.showNow(), left).unref();
  }

  /** The call has ended, and its result says more. */
  end(): void {
    clearTimeout(this.timer);
  }

  private showNow(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.toldAt = performance.now();
    if (this.waiting !== null) this.show(this.waiting);
    this.waiting = null;
  }
}
