import { KeyedQueue } from './keyed-queue';

describe('a keyed queue', () => {
  const done: string[] = [];
  const task =
    (name: string, isFailing = false) =>
    async () => {
      await new Promise(setImmediate);
      done.push(name);
      if (isFailing) throw new Error(name);
      return name;
    };

  beforeEach(() => done.splice(0));

  it('runs tasks of one key in order, also after a failure, and tasks of other keys concurrently', async () => {
    const queue = new KeyedQueue<number>(3);
    const first = queue.run(1, task('first', true));
    const second = queue.run(1, task('second'));
    const other = queue.run(2, task('other'));
    await expect(first).rejects.toThrow('first');
    expect(await Promise.all([second, other])).toEqual(['second', 'other']);
    expect(done).toEqual(['first', 'other', 'second']);
  });

  it('limits the tasks of a key, and accepts more when they are done', async () => {
    const queue = new KeyedQueue<string>(2);
    const taken = [queue.run('a', task('one')), queue.run('a', task('two'))];
    await expect(queue.run('a', task('three'))).rejects.toMatchObject({ status: 503 });
    expect(await queue.run('b', task('other'))).toBe('other');
    await Promise.all(taken);
    expect(await queue.run('a', task('four'))).toBe('four');
  });
});
