import { featuresOf } from '../../src/app.module';
import { EventKinds } from '../../src/common/events/event-kinds';
import { Features, type ImportedModule } from '../../src/common/features/features';
import { FeaturesModule } from '../../src/common/features/features.module';
import { type Catalogue, readSentences, sentences, speak } from '../../src/common/i18n/translator';
import { Scopes } from '../../src/common/security/scopes';
import { TracingModule } from '../../src/common/tracing/tracing.module';
import { ConfigurationModule } from '../../src/config/configuration.module';
import type { EnvironmentVariables } from '../../src/config/load-configuration';

/** The declarations of the service's modules. */
export const serviceFeatures = featuresOf();

/** The event types of the whole service. */
export const serviceEvents = new EventKinds(serviceFeatures);

/** The API key scopes of the whole service. */
export const SCOPES = new Scopes(serviceFeatures).all;

/** Loads the texts of the whole service into the process, for tests that start none. */
export function speakAsService(): Catalogue {
  speak(readSentences(serviceFeatures.folders()));
  return sentences();
}

/** These modules, with the dependencies that each needs without the rest of the service. */
export function partOfService(environment: EnvironmentVariables, modules: ImportedModule[]): ImportedModule[] {
  return [
    ConfigurationModule.forRoot(serviceFeatures.all('configuration'), environment),
    FeaturesModule.forRoot(Features.of(modules)),
    TracingModule,
    ...modules,
  ];
}
