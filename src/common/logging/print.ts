import type { LoggingConfig } from './logging.config';

/**
 * Writes to the output what no LOG_LEVEL may silence: what the service is asked to print, and not what it logs.
 *
 * @param text for people
 * @param members of the line instead, where the log is JSON
 */
export function print({ isPretty }: LoggingConfig, text: string, members: Record<string, string>): void {
  const line = { level: 'info', time: new Date().toISOString(), ...members };
  process.stdout.write(isPretty ? `\n${text}\n` : `${JSON.stringify(line)}\n`);
}
