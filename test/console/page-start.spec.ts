import { PageStart } from '../../console/src/app/page-start';

describe('the data a page was loaded with', () => {
  let start: PageStart;

  beforeEach(() => {
    jest.useFakeTimers();
    start = new PageStart({ agents: [], attention: null });
  });

  afterEach(() => jest.useRealTimers());

  it('is used once by each part', () => {
    expect([start.take('agents'), start.take('agents')]).toEqual([[], undefined]);
    expect(start.take('attention')).toBeNull();
    expect(start.take('quota')).toBeUndefined();
  });

  it('expires after half a minute', () => {
    jest.advanceTimersByTime(30_001);
    expect(start.take('agents')).toBeUndefined();
  });

  it('expires once something has changed', () => {
    start.forget();
    expect(start.take('agents')).toBeUndefined();
  });
});
