import { DynamicModule, Module } from '@nestjs/common';
import { registeredEnvironments } from './environment.decorator';
import { EnvironmentVariables, loadConfiguration } from './load-configuration';

/** Provides every class marked with `@Environment()`, validated, under its own type. */
@Module({})
export class ConfigurationModule {
  /** @throws ConfigurationError when any variable breaks its rule. */
  static forRoot(environment: EnvironmentVariables): DynamicModule {
    const loaded = loadConfiguration(registeredEnvironments(), environment);
    const providers = [...loaded].map(([provide, useValue]) => ({ provide, useValue }));
    return { module: ConfigurationModule, global: true, providers, exports: providers };
  }
}
