import { StreamPace } from './stream-pace';

describe('StreamPace', () => {
  const source = () => ({ pause: jest.fn(), resume: jest.fn() });

  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('pauses an answer that comes faster than any model, and goes on after a while', () => {
    const [pace, answer] = [new StreamPace(), source()];
    pace.took(40_000, 4, answer);
    expect(answer.pause).not.toHaveBeenCalled();
    pace.took(40_000, 4, answer);
    pace.took(40_000, 4, answer);
    expect(answer.pause).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(49);
    expect(answer.resume).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(answer.resume).toHaveBeenCalledTimes(1);
    pace.took(40_000, 4, answer);
    expect(answer.pause).toHaveBeenCalledTimes(1);
    pace.end();
  });

  it.each([
    ['comes as models send', 1_000, 1],
    ['is little work', 60_000, 0.1],
    ['was slow for another reason', 300, 30],
  ])('does not pause one that %s', (_case, bytes, milliseconds) => {
    const [pace, answer] = [new StreamPace(), source()];
    for (let piece = 0; piece < 20; piece++) {
      pace.took(bytes, milliseconds, answer);
      jest.advanceTimersByTime(20);
    }
    expect(answer.pause).not.toHaveBeenCalled();
  });

  it('lets several of them take turns', () => {
    const flood = () => {
      const [pace, answer] = [new StreamPace(), source()];
      pace.took(60_000, 7, answer);
      return { pace, answer };
    };
    const [first, second] = [flood(), flood()];
    jest.advanceTimersByTime(50);
    expect(first.answer.resume).toHaveBeenCalledTimes(1);
    expect(second.answer.resume).not.toHaveBeenCalled();
    jest.advanceTimersByTime(50);
    expect(second.answer.resume).toHaveBeenCalledTimes(1);
  });

  it('forgets an answer that ends while it is paused', () => {
    const [pace, answer] = [new StreamPace(), source()];
    pace.took(60_000, 7, answer);
    pace.end();
    jest.advanceTimersByTime(1_000);
    expect(answer.resume).not.toHaveBeenCalled();
  });
});
