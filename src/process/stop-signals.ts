import { type INestApplication, ShutdownSignal } from '@nestjs/common';

/**
 * Signals that stop the service. Nest would add the signals of a crash in native code, but such a process must end
 * immediately.
 */
export const STOP_SIGNALS = [
  ShutdownSignal.SIGTERM,
  ShutdownSignal.SIGINT,
  ShutdownSignal.SIGHUP,
  ShutdownSignal.SIGQUIT,
];

/**
 * Sets the modules up. After that, a signal to stop ends the process. A signal that comes earlier waits until the
 * modules are ready, because Nest would close modules that are still starting.
 *
 * @returns whether the process continues; false when it was told to stop and everything is closed
 */
export async function initialize(app: INestApplication): Promise<boolean> {
  const stopping = new AbortController();
  const remember = (): void => stopping.abort();
  STOP_SIGNALS.forEach((signal) => process.on(signal, remember));
  try {
    await app.init();
    if (stopping.signal.aborted) {
      await app.close();
      return false;
    }
    // A process that was told to stop, and did so, ends with code 0.
    app.enableShutdownHooks(STOP_SIGNALS, { useProcessExit: true });
    return true;
  } finally {
    STOP_SIGNALS.forEach((signal) => process.off(signal, remember));
  }
}
