import type { Page } from 'playwright-core';

/** Milliseconds for which a page may not react. */
export const LONGEST_TASK = 200;

const OBSERVE = `
  window.longTasks = [];
  window.longTaskObserver = new PerformanceObserver((list) => longTasks.push(...list.getEntries()));
  longTaskObserver.observe({ type: 'longtask', buffered: true });
`;

const TAKE = `
  longTasks.push(...longTaskObserver.takeRecords());
  longTasks.splice(0).map(({ duration }) => duration);
`;

/** Notes for how long at a time the main thread of a page does not react, from the next page that is loaded on. */
export class LongTasks {
  private constructor(private readonly page: Page) {}

  static async watch(page: Page): Promise<LongTasks> {
    await page.addInitScript(OBSERVE);
    return new LongTasks(page);
  }

  /**
   * The longest task while this is done, in milliseconds; 0 when none took 50 or more. When it is longer than the limit, it
   * is done once more, and the better run counts: the browser measures by the clock, and beside other tests the processor
   * may be taken from the page in the middle of a task of a few milliseconds. What the page itself causes comes each time.
   */
  async longestWhile(act: () => Promise<void>): Promise<number> {
    const first = await this.measure(act);
    return first <= LONGEST_TASK ? first : Math.min(first, await this.measure(act));
  }

  private async measure(act: () => Promise<void>): Promise<number> {
    await this.page.evaluate(TAKE).catch(() => undefined);
    await act();
    const durations = await this.page.evaluate<number[]>(TAKE);
    return Math.max(0, ...durations);
  }
}
