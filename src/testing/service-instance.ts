import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from '../app.module';
import { configureApp } from '../app-setup';
import { Clock } from '../common/clock';
import type { ImportedModule } from '../common/features/features';
import { FastExpressAdapter } from '../common/http/server/fast-express-adapter';
import { Database } from '../database/database';
import { ResilienceSettings } from '../integrations/llm/providers/resilience';

/** An instance of the service in this process, listening on a free port of 127.0.0.1. */
export interface ServiceInstance {
  app: NestExpressApplication;
  /** `http://127.0.0.1:<port>` */
  origin: string;
  /** The base address of the API: `<origin>/api/v1`. */
  url: string;
  /** Moves the service's clock forward from now on. */
  advanceClock(milliseconds: number): void;
  /** Stops the service's clock from now on, except for `advanceClock`: then only the test lets times expire. */
  freezeClock(): void;
  /** Resets the service's clock. */
  resetClock(): void;
}

export interface InstanceOptions {
  /** All settings. The variables of the process have no effect. */
  environment: Record<string, string>;
  /** Modules that do not belong to the service. */
  features?: readonly ImportedModule[];
  /** Resolves only when the database is up, which is the default; otherwise as soon as the service listens. */
  waitsUntilReady?: boolean;
  /** Changes providers before the service listens. */
  prepare?: (app: NestExpressApplication) => void;
}

/** Starts an instance like `main.ts`, with a clock that the caller can move. */
export async function startInstance({
  environment,
  features = [],
  waitsUntilReady = true,
  prepare,
}: InstanceOptions): Promise<ServiceInstance> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.register(environment, features),
    new FastExpressAdapter(),
    { bodyParser: false, logger: false, abortOnError: false },
  );
  configureApp(app);
  prepare?.(app);
  await app.listen(0, '127.0.0.1');
  if (waitsUntilReady) {
    await app.get(Database).whenReady();
  }
  const origin = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  return { app, origin, url: `${origin}/api/v1`, ...movableClock(app) };
}

function movableClock(
  app: NestExpressApplication,
): Pick<ServiceInstance, 'advanceClock' | 'freezeClock' | 'resetClock'> {
  let offset = 0;
  let present = Date.now;
  app.get(Clock).now = () => new Date(present() + offset);
  return {
    advanceClock: (milliseconds) => void (offset += milliseconds),
    freezeClock: () => {
      const frozen = present();
      present = () => frozen;
    },
    resetClock: () => {
      offset = 0;
      present = Date.now;
    },
  };
}

/** Model retries have no pause, and refusals in one test do not affect the next. */
export function forgetProviderFailures(app: NestExpressApplication): void {
  Object.assign(app.get(ResilienceSettings), { retryDelays: [1, 1], retryReserve: Infinity, longestRest: 0 });
}
