import { join } from 'node:path';
import { Global } from '@nestjs/common';
import { AppConfig } from '../config/app.config';
import { ContentAccessConfig } from '../config/content-access.config';
import { SecurityConfig } from '../config/security.config';
import { Attention } from './attention/attention';
import { HeldLeases } from './background/held-leases';
import { Clock } from './clock';
import { DomainEvents } from './events/domain-events';
import { Feature } from './features/feature.decorator';
import { GuardPresence } from './guard-presence';
import { HealthChecks } from './health-checks';
import { BodyConfig } from './http/body/body.config';
import { BodyMemory } from './http/body/body-memory';
import { BodyReceiver } from './http/body/request-body';
import { Cookies } from './http/cookies';
import { Lifecycle } from './lifecycle';
import { LoadGate } from './load/load-gate';
import { BrowserPages } from './redirects/browser-pages';

const SERVICES = [
  Attention,
  BodyMemory,
  BodyReceiver,
  BrowserPages,
  Clock,
  Cookies,
  DomainEvents,
  GuardPresence,
  HealthChecks,
  HeldLeases,
  Lifecycle,
  LoadGate,
];

/** The shared services that every module may inject. */
@Global()
@Feature({
  folder: join(__dirname, 'i18n'),
  exposes: ['X-Request-Id', 'Retry-After', 'X-Total-Count', 'Content-Disposition', 'WWW-Authenticate', 'X-Error-Code'],
  configuration: [AppConfig, BodyConfig, ContentAccessConfig, SecurityConfig],
  providers: SERVICES,
  exports: SERVICES,
})
export class CommonModule {}
