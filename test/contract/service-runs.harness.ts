import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceRun } from '../support/service-run';

/** Service processes in an empty folder, which is new for each test. They stop with it. */
export class ServiceRuns {
  folder = '';
  private readonly runs: ServiceRun[] = [];

  start(environment: Record<string, string>, program?: string): ServiceRun {
    const run = new ServiceRun(this.folder, environment, program);
    this.runs.push(run);
    return run;
  }

  async open(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'start-'));
  }

  async close(): Promise<void> {
    await Promise.all(this.runs.splice(0).map((run) => run.kill()));
    await rm(this.folder, { recursive: true });
  }
}

export function useServiceRuns(): ServiceRuns {
  const runs = new ServiceRuns();
  beforeEach(() => runs.open());
  afterEach(() => runs.close());
  return runs;
}
