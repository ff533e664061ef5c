import { UserTurns } from './user-turns';

/** Work that finishes when the test resolves it. */
class Work {
  readonly began: string[] = [];
  private readonly ends = new Map<string, () => void>();

  task(name: string): () => Promise<string> {
    return () => {
      this.began.push(name);
      return new Promise((resolve) => this.ends.set(name, () => resolve(name)));
    };
  }

  async end(name: string): Promise<void> {
    this.ends.get(name)?.();
    await new Promise(setImmediate);
  }
}

describe('UserTurns', () => {
  it('runs the work of users in turn, however much work one user has', async () => {
    const work = new Work();
    const turns = new UserTurns({ running: 1, waiting: 10 }, { running: 1, waiting: 10 });
    const results = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) => turns.run(name.charCodeAt(0), work.task(name)));
    for (const name of ['a1', 'b1', 'c1', 'a2', 'a3']) await work.end(name);
    expect(work.began).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
    expect(await Promise.all(results)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
  });

  it('refuses work over the limit of one user, and over the limit of all', async () => {
    const work = new Work();
    const turns = new UserTurns({ running: 2, waiting: 1 }, { running: 2, waiting: 1 });
    const held = ['a1', 'a2', 'a3'].map((name) => turns.run(1, work.task(name)));
    await expect(turns.run(1, work.task('a4'))).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: { limit: 3 },
    });
    held.push(turns.run(2, work.task('b1')));
    await expect(turns.run(3, work.task('c1'))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    for (const name of ['a1', 'a2', 'b1', 'a3']) await work.end(name);
    expect(await Promise.all(held)).toEqual(['a1', 'a2', 'a3', 'b1']);
  });

  it('continues after work that fails', async () => {
    const turns = new UserTurns({ running: 1, waiting: 10 }, { running: 1, waiting: 10 });
    const failed = turns.run(1, () => Promise.reject(new Error('failed')));
    const next = turns.run(1, () => Promise.resolve('next'));
    await expect(failed).rejects.toThrow('failed');
    expect(await next).toBe('next');
  });
});
