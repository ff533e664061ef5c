import { Logger as NestLogger } from '@nestjs/common';
import { AbstractLogger, type LogLevel, type LogMessage } from 'typeorm';

/** Hands what TypeORM reports (statements that are too slow) to the service's log; values are left out of it. */
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
