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
   * The longest task while this is done, in milliseconds; 0 when none took 50 or more. The browser measures by the clock, and
   * beside other tests the processor may be taken from the page in the middle of a task of a few milliseconds. So when the
   * clock says more than the limit, it is done once more, and the processor time of each task counts.
   */
  async longestWhile(act: () => Promise<void>): Promise<number> {
    const longest = await this.byClock(act);
    return longest <= LONGEST_TASK ? longest : this.byProcessor(act);
  }

  private async byClock(act: () => Promise<void>): Promise<number> {
    await this.page.evaluate(TAKE).catch(() => undefined);
    await act();
    const durations = await this.page.evaluate<number[]>(TAKE);
    return Math.max(0, ...durations);
  }

  private async byProcessor(act: () => Promise<void>): Promise<number> {
    const browser = this.page.context().browser();
    await browser?.startTracing(this.page, { categories: ['toplevel'] });
    await act();
    const { traceEvents } = JSON.parse(String(await browser?.stopTracing())) as { traceEvents: TraceEvent[] };
    const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
    const names = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
    const mainThreads = new Set(names.map(threadOf));
    const tasks = traceEvents.filter(
      (event) => event.name === 'ThreadControllerImpl::RunTask' && mainThreads.has(threadOf(event)),
    );
    expect(tasks.length).toBeGreaterThan(0);
    return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1_000), 0);
  }
}

/** A line of the browser's trace. */
interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  args?: { name?: string };
  /** Microseconds in which the thread had a processor. */
  tdur?: number;
}
