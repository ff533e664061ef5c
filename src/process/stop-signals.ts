import { type INestApplication, ShutdownSignal } from '@nestjs/common';

/**
 * Signals that stop the service. Nest would also handle the signals of a crash in native code, but such a process must
 * end immediately.
 */
export const STOP_SIGNALS = [
  ShutdownSignal.SIGTERM,
  ShutdownSignal.SIGINT,
  ShutdownSignal.SIGHUP,
  ShutdownSignal.SIGQUIT,
];

/**
 * Initializes the modules. After that, a signal to stop ends the process. An earlier signal waits until the modules are
 * ready, because Nest would close modules that are still starting.
 *
 * @returns whether the process continues; false if a signal stopped it and everything is closed
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
    // A process that stopped because of a signal exits with code 0.
    app.enableShutdownHooks(STOP_SIGNALS, { useProcessExit: true });
    return true;
  } finally {
    STOP_SIGNALS.forEach((signal) => process.off(signal, remember));
  }
}
