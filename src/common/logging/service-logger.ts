import { Injectable } from '@nestjs/common';
import { Logger } from 'nestjs-pino';

/** Parts of the framework that report every module and route at each start. */
const TALKATIVE = new Set<unknown>([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** The service's log, in which the framework's reports of its own start count as details. */
@Injectable()
export class ServiceLogger extends Logger {
  override log(message: unknown, ...parameters: unknown[]): void {
    if (TALKATIVE.has(parameters.at(-1))) {
      this.debug(message, ...parameters);
    } else {
      super.log(message, ...parameters);
    }
  }

  override error(message: unknown, ...parameters: unknown[]): void {
    // The framework reports what it also throws to the caller of `listen`, who says it in a sentence.
    if (parameters.at(-1) === 'NestApplication' && /^Error: (listen|getaddrinfo) /.test(String(message))) {
      this.debug(message, ...parameters);
    } else {
      super.error(message, ...parameters);
    }
  }
}
