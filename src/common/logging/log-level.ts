import type { Level, Logger } from 'pino';

/** The levels of the log, the most severe first. */
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** The logger of the process. If a test starts several applications in one process, that of the last. */
let root: Logger | undefined;

export function asRoot(logger: Logger): Logger {
  root = logger;
  return logger;
}

/** The current level; null before the log exists. */
export function logLevel(): LogLevel | null {
  return (root?.level as LogLevel | undefined) ?? null;
}

/** Takes effect with the next line. */
export function setLogLevel(level: LogLevel): void {
  if (root !== undefined) {
    root.level = level;
  }
}

/** Whether lines of this level are written. */
export function logs(level: Level): boolean {
  return root?.isLevelEnabled(level) ?? false;
}
