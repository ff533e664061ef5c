import { TimeoutError } from './errors';

/** With more, `setTimeout` would not wait at all. */
const LONGEST_MILLISECONDS = 2 ** 31 - 1;

/** Gives a request up when its caller leaves, or when nothing of its answer comes for too long. */
export class Patience {
  protected readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param milliseconds in which something must come; 0: it need not
   * @param caller the signal of the caller, who may leave
   */
  constructor(
    private readonly milliseconds: number,
    private readonly caller?: AbortSignal,
  ) {
    caller?.throwIfAborted();
    caller?.addEventListener('abort', this.leave);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Waits anew: the request goes out, or something has come. */
  wait(): void {
    clearTimeout(this.timer);
    if (this.milliseconds === 0) return;
    const longest = Math.min(this.milliseconds, LONGEST_MILLISECONDS);
    this.timer = setTimeout(() => this.controller.abort(new TimeoutError()), longest);
  }

  /** The same answer, each piece of which is waited for. */
  watch(response: Response): Response {
    // What a program gives as `fetch` may have bodies of another kind.
    if (this.milliseconds === 0 || !response.body?.pipeThrough) return response;
    const pieces = new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, controller) => {
        this.wait();
        controller.enqueue(piece);
      },
    });
    return new Response(response.body.pipeThrough(pieces), response);
  }

  close(): void {
    clearTimeout(this.timer);
    this.caller?.removeEventListener('abort', this.leave);
  }

  private readonly leave = (): void => this.controller.abort(this.caller?.reason);
}
