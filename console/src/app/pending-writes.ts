/** Changes that this page has asked for and that are not answered yet: news of them may come before the answer does. */
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
