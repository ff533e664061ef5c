import type { LoggingConfig } from './logging.config';

/**
 * Writes to the output, whatever LOG_LEVEL says. Use it for text that the service is asked to print, not for logs.
 *
 * @param text for people
 * @param members of the line that is written instead of the text when the log is JSON
 */
export function print({ isPretty }: LoggingConfig, text: string, members: Record<string, string>): void {
  const line = { level: 'info', time: new Date().toISOString(), ...members };
  process.stdout.write(isPretty ? `\n${text}\n` : `${JSON.stringify(line)}\n`);
}
