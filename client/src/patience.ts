import { TimeoutError } from './errors';

/** With a longer delay, `setTimeout` would fire at once. */
const LONGEST_MILLISECONDS = 2 ** 31 - 1;

/** Aborts a request when its caller aborts it, or when no data arrives for too long. */
export class Patience {
  protected readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param milliseconds longest time without data; 0: no limit
   * @param caller the caller's abort signal
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

  /** Restarts the timeout when the request is sent and when data arrives. */
  wait(): void {
    clearTimeout(this.timer);
    if (this.milliseconds === 0) return;
    const longest = Math.min(this.milliseconds, LONGEST_MILLISECONDS);
    this.timer = setTimeout(() => this.controller.abort(new TimeoutError()), longest);
  }

  /** Returns the same response, restarting the timeout for each chunk. */
  watch(response: Response): Response {
    // A custom `fetch` may return other kinds of bodies.
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
