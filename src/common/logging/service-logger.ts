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

/** The service's log. The framework's messages about its own start have the level debug. */
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
    // The framework logs an error that it also throws to the caller of `listen`, which reports it in one sentence.
    if (parameters.at(-1) === 'NestApplication' && /^Error: (listen|getaddrinfo) /.test(String(message))) {
      this.debug(message, ...parameters);
    } else {
      super.error(message, ...parameters);
    }
  }
}
