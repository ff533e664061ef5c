import { type DynamicModule, Module } from '@nestjs/common';
import { AuditKinds } from '../audit/audit-kinds';
import { ErrorDialects } from '../errors/error-dialects';
import { EventKinds } from '../events/event-kinds';
import { ApiPaths } from '../http/api-paths';
import { readSentences, speak } from '../i18n/translator';
import { Scopes } from '../security/scopes';
import { Features } from './features';

const KINDS = [ApiPaths, AuditKinds, ErrorDialects, EventKinds, Scopes];

/** Provides the `@Feature` declarations of the application's modules, and loads their messages. */
@Module({})
export class FeaturesModule {
  /** @throws FeatureError if two modules declare the same thing */
  static forRoot(features: Features): DynamicModule {
    speak(readSentences(features.folders()));
    return {
      module: FeaturesModule,
      global: true,
      providers: [{ provide: Features, useValue: features }, ...KINDS],
      exports: [Features, ...KINDS],
    };
  }
}
