import type { Page } from 'playwright-core';

/** The maximum milliseconds of an unresponsive page. */
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

/** Records how long the main thread of a page blocks, from the next page load. */
export class LongTasks {
  private constructor(private readonly page: Page) {}

  static async watch(page: Page): Promise<LongTasks> {
    await page.addInitScript(OBSERVE);
    return new LongTasks(page);
  }

  /**
   * The longest task during an action, in milliseconds; 0 if none took 50 or more. The browser measures elapsed time,
   * and other tests may take the processor from the page during a short task. So if the elapsed time exceeds the limit,
   * the action is repeated, and the processor time of each task counts.
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

/** The duration of a task before users notice that the page does not respond (Total Blocking Time, web.dev/tbt). */
const UNNOTICED = 50;

/**
 * For how many milliseconds in total the main thread of a page would block during an action, on a machine that is this
 * many times slower: the part of each task that exceeds 50. It is calculated from processor time, which a busy machine
 * hardly changes, and which scales uniformly, so the machine need not be slowed down.
 */
export async function blockingTime(page: Page, slower: number, act: () => Promise<unknown>): Promise<number> {
  const times = await processorTimes(page, act);
  return Math.round(times.reduce((sum, time) => sum + Math.max(0, time * slower - UNNOTICED), 0));
}

/** The milliseconds of processor time of each main-thread task during an action. */
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

/** A line in the browser's trace. */
interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  args?: { name?: string };
  /** Microseconds of the thread's processor time. */
  tdur?: number;
}
