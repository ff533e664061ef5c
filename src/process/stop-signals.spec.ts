import { setImmediate } from 'node:timers/promises';
import { Injectable, OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { initialize } from './stop-signals';

const STOP = 'SIGHUP';

/** Receives a stop signal during setup, when the test sends it. */
@Injectable()
class SlowPart implements OnModuleInit, OnModuleDestroy {
  isInterrupted = true;
  readonly seen: string[] = [];

  async onModuleInit(): Promise<void> {
    if (this.isInterrupted) {
      process.emit(STOP);
    }
    await setImmediate();
    this.seen.push('set up');
  }

  onModuleDestroy(): void {
    this.seen.push('taken down');
  }
}

async function prepare() {
  const module = await Test.createTestingModule({ providers: [SlowPart] }).compile();
  return module.createNestApplication();
}

describe('initialize', () => {
  it('closes the modules only after all are set up, when a signal arrives during the setup', async () => {
    const app = await prepare();
    expect(await initialize(app)).toBe(false);
    expect(app.get(SlowPart).seen).toEqual(['set up', 'taken down']);
  });

  it('leaves later signals to the shutdown hooks, and removes its own listeners', async () => {
    const before = process.listenerCount(STOP);
    const app = await prepare();
    app.get(SlowPart).isInterrupted = false;
    expect(await initialize(app)).toBe(true);
    expect(process.listenerCount(STOP)).toBe(before + 1);
    await app.close();
    expect(process.listenerCount(STOP)).toBe(before);
  });
});
