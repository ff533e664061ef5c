import type { LoggingConfig } from './logging.config';

/**
 * Writes to standard output at any LOG_LEVEL. Use it for text that the service is meant to print, not for logs.
 *
 * @param text for people
 * @param members of the line that replaces the text if the log is JSON
 */
export function print({ isPretty }: LoggingConfig, text: string, members: Record<string, string>): void {
  const line = { level: 'info', time: new Date().toISOString(), ...members };
  process.stdout.write(isPretty ? `\n${text}\n` : `${JSON.stringify(line)}\n`);
}
