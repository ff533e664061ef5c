import { featuresOf } from '../../src/app.module';
import { EventKinds } from '../../src/common/events/event-kinds';
import { Features, type ImportedModule } from '../../src/common/features/features';
import { FeaturesModule } from '../../src/common/features/features.module';
import { type Catalogue, readSentences } from '../../src/common/i18n/sentences';
import { sentences, speak } from '../../src/common/i18n/translator';
import { Scopes } from '../../src/common/security/scopes';
import { ConfigurationModule } from '../../src/config/configuration.module';
import type { EnvironmentVariables } from '../../src/config/load-configuration';

/** What the modules of the service declare. */
export const serviceFeatures = featuresOf();

/** The types of events of the whole service. */
export const serviceEvents = new EventKinds(serviceFeatures);

/** The scopes of API keys of the whole service. */
export const SCOPES = new Scopes(serviceFeatures).all;

/** Has the process speak as the whole service does, for tests that start none. */
export function speakAsService(): Catalogue {
  speak(readSentences(serviceFeatures.folders()));
  return sentences();
}

/** These modules, and what each of them needs to be built without the rest of the service. */
export function partOfService(environment: EnvironmentVariables, modules: ImportedModule[]): ImportedModule[] {
  return [
    ConfigurationModule.forRoot(serviceFeatures.all('configuration'), environment),
    FeaturesModule.forRoot(Features.of(modules)),
    ...modules,
  ];
}
