import { DynamicModule, Inject, Logger, Module, OnModuleInit } from '@nestjs/common';
import { registeredEnvironments } from './environment.decorator';
import { EnvironmentVariables, loadConfiguration } from './load-configuration';
import { unknownVariables, unknownVariablesWarning } from './unknown-variables';

/** Injection token of the environment variables. */
const ENVIRONMENT = Symbol('ENVIRONMENT');

/**
 * Provides an object of every class with `@Environment()`, validated, under its own type.
 * This folder reads the environment. `loadConfiguration` makes and checks the objects. `environment-rules.ts` and
 * `address.ts` have the rules for variables, and `unknown-variables.ts` warns about misspelt names. Classes for one
 * feature are in the feature's folder.
 */
@Module({})
export class ConfigurationModule implements OnModuleInit {
  private readonly logger = new Logger(ConfigurationModule.name);

  constructor(@Inject(ENVIRONMENT) private readonly environment: EnvironmentVariables) {}

  /** @throws ConfigurationError when any variable breaks its rule. */
  static forRoot(environment: EnvironmentVariables): DynamicModule {
    const loaded = loadConfiguration(registeredEnvironments(), environment);
    const providers = [...loaded].map(([provide, useValue]) => ({ provide, useValue }));
    return {
      module: ConfigurationModule,
      global: true,
      providers: [...providers, { provide: ENVIRONMENT, useValue: environment }],
      exports: providers,
    };
  }

  onModuleInit(): void {
    const known = registeredEnvironments().flatMap((environment) => Object.keys(new environment()));
    const warning = unknownVariablesWarning(unknownVariables(this.environment, known));
    if (warning !== null) {
      this.logger.warn(warning);
    }
  }
}
