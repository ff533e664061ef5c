import { type INestApplication, ShutdownSignal } from '@nestjs/common';

/** Not those of a crash in native code, which Nest would listen for too: such a process has to end at once. */
const STOP_SIGNALS = [ShutdownSignal.SIGTERM, ShutdownSignal.SIGINT, ShutdownSignal.SIGHUP, ShutdownSignal.SIGQUIT];

/**
 * Sets the modules up, and has signals to stop end the process from then on. One that comes meanwhile waits for that: Nest
 * would take down modules that are still being set up.
 *
 * @returns whether the process goes on; false when it was told to stop, and all is closed
 */
export async function initialize(app: INestApplication): Promise<boolean> {
  const told = new AbortController();
  const remember = (): void => told.abort();
  STOP_SIGNALS.forEach((signal) => process.on(signal, remember));
  try {
    await app.init();
    if (told.signal.aborted) {
      await app.close();
      return false;
    }
    // Whoever was told to stop, and has, ends with 0.
    app.enableShutdownHooks(STOP_SIGNALS, { useProcessExit: true });
    return true;
  } finally {
    STOP_SIGNALS.forEach((signal) => process.off(signal, remember));
  }
}
