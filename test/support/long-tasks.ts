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
    return Math.max(...(await processorTimes(this.page, act)));
  }
}

/** What a task may last before people notice that the page does not react (Total Blocking Time, web.dev/tbt). */
const UNNOTICED = 50;

/**
 * For how many milliseconds in all the main thread of a page would not react while this is done, on a machine that is so many
 * times slower: of each task what exceeds 50. It is reckoned from processor time, which a busy machine hardly changes, and
 * which slows down as a whole: so nothing must be made slow for it.
 */
export async function blockingTime(page: Page, slower: number, act: () => Promise<unknown>): Promise<number> {
  const times = await processorTimes(page, act);
  return Math.round(times.reduce((sum, time) => sum + Math.max(0, time * slower - UNNOTICED), 0));
}

/** The milliseconds for which each task of the main thread had a processor while this was done. */
async function processorTimes(page: Page, act: () => Promise<unknown>): Promise<number[]> {
  const browser = page.context().browser();
  await browser?.startTracing(page, { categories: ['toplevel'] });
  let recorded: Buffer | undefined;
  try {
    await act();
  } finally {
    // The browser is shared, and records one trace at a time.
    recorded = await browser?.stopTracing();
  }
  const { traceEvents } = JSON.parse(String(recorded)) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const names = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const mainThreads = new Set(names.map(threadOf));
  const tasks = traceEvents.filter(
    (event) => event.name === 'ThreadControllerImpl::RunTask' && mainThreads.has(threadOf(event)),
  );
  expect(tasks.length).toBeGreaterThan(0);
  return tasks.map(({ tdur = 0 }) => tdur / 1_000);
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
