import { Logger as NestLogger } from '@nestjs/common';
import { AbstractLogger, type LogLevel, type LogMessage } from 'typeorm';

/** Writes TypeORM's reports of slow statements to the service's log, without values. */
export class SlowQueryLogger extends AbstractLogger {
  private readonly target = new NestLogger('Database');

  protected writeLog(
    _level: LogLevel,
    messages: LogMessage | string | number | (LogMessage | string | number)[],
  ): void {
    for (const message of [messages].flat()) {
      const { prefix, message: text } = typeof message === 'object' ? message : { prefix: undefined, message };
      this.target.warn([prefix, text].filter((part) => part !== undefined).join(': '));
    }
  }
}
