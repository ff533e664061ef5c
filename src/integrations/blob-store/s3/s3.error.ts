/** A request to S3 that failed. The message has no keys. */
export class S3Error extends Error {
  override readonly name = 'S3Error';

  /**
   * @param status null: there was no answer
   * @param code what the server or the connection says is wrong
   */
  constructor(
    method: string,
    readonly status: number | null,
    readonly code: string | null,
    cause?: unknown,
  ) {
    const reason = code === null ? '' : ` (${code})`;
    super(status === null ? `S3 did not answer ${method}${reason}` : `S3 answered ${status}${reason} to ${method}`, {
      cause,
    });
  }

  /** Whether the same request may succeed soon. */
  get mayPass(): boolean {
    return this.status === null || this.status >= 500 || this.status === 429 || this.status === 408;
  }
}
