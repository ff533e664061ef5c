/** Tracks write requests in flight. The feed may report a change before its response arrives. */
export class PendingWrites {
  private count = 0;

  get some(): boolean {
    return this.count > 0;
  }

  async during<Result>(work: Promise<Result>): Promise<Result> {
    this.count++;
    try {
      return await work;
    } finally {
      this.count--;
    }
  }
}
