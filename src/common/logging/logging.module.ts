import { DynamicModule } from '@nestjs/common';
import { LoggerModule, Params, PinoLogger } from 'nestjs-pino';
import { destination, type DestinationStream, pino } from 'pino';
import type * as pinoPretty from 'pino-pretty';
import { Feature } from '../features/feature.decorator';
import { loadPackage } from '../load-package';
import { withoutSecrets } from '../security/without-secrets';
import { Tracing } from '../tracing/tracing';
import { asRoot } from './log-level';
import { LoggingConfig } from './logging.config';
import { recentLines } from './recent-lines';
import { ServiceLogger } from './service-logger';

/**
 * Structured logs. Classes log through Nest's `Logger`, and `ServiceLogger` writes the lines. `serializeError` decides
 * what a line shows of an error. `requestLog` logs the requests, in a fifth of the time of the library's own
 * middleware.
 */
@Feature({
  configuration: [LoggingConfig],
})
export class LoggingModule {
  static forRoot(): DynamicModule {
    const logger = LoggerModule.forRootAsync({ inject: [LoggingConfig, Tracing], useFactory: loggerOptions });
    return { module: LoggingModule, imports: [logger], providers: [ServiceLogger], exports: [ServiceLogger] };
  }
}

/** The log of a command that does not start the service, in the same format as the service's log. */
export function commandLogger(config: LoggingConfig): ServiceLogger {
  const options = loggerOptions(config);
  return new ServiceLogger(new PinoLogger(options), options);
}

function prettyStream(): pinoPretty.PrettyStream {
  const { default: pretty } = loadPackage('pino-pretty') as typeof pinoPretty;
  return pretty({ singleLine: true, ignore: 'context', sync: true });
}

/**
 * Writes each line, and keeps the newest ones. Lines are written immediately and not by a thread, because an operator
 * needs the last lines of a process that ends.
 */
function keepingStream(config: LoggingConfig): DestinationStream {
  const target = config.isPretty ? prettyStream() : destination({ sync: true });
  return {
    write(line) {
      recentLines.add(line);
      target.write(line);
    },
  };
}

/** @param tracing absent: the lines belong to no trace */
function loggerOptions(config: LoggingConfig, tracing?: Tracing): Params {
  const logger = pino(
    {
      level: config.LOG_LEVEL,
      base: undefined,
      serializers: { error: serializeError, err: serializeError },
      ...(tracing?.isOn && { mixin: () => tracing.logMembers() }),
      formatters: { level: (label) => ({ level: label }) },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
    },
    keepingStream(config),
  );
  return { forRoutes: [], pinoHttp: { logger: asRoot(logger) } };
}

/**
 * What the log shows of an error and its causes, without keys and tokens that its message repeats. It shows no other
 * members, because database errors contain the values of the statement, which may be secrets.
 */
export function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) {
    return error;
  }
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: withoutSecrets(error.message),
    ...(typeof code === 'string' && { code }),
    stack: error.stack === undefined ? undefined : withoutSecrets(error.stack),
    ...(error.cause !== undefined && { cause: serializeError(error.cause) }),
  };
}
