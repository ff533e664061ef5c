import { Logger as NestLogger } from '@nestjs/common';
import { AbstractLogger, type DataSource, type LogLevel, type LogMessage } from 'typeorm';
import type { StatementValue } from './statement-result';

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

/** @param began Unix milliseconds */
export function reportSlow(
  dataSource: DataSource,
  sql: string,
  values: readonly StatementValue[],
  began: number,
): void {
  const took = Date.now() - began;
  const { maxQueryExecutionTime: limit } = dataSource.driver.options;
  if (limit !== undefined && took > limit) {
    dataSource.logger.logQuerySlow(took, sql, values as StatementValue[]);
  }
}
