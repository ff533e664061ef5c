import { DynamicModule, Inject, Logger, Module, OnModuleInit } from '@nestjs/common';
import { registeredEnvironments } from './environment.decorator';
import { EnvironmentVariables, loadConfiguration } from './load-configuration';
import { unknownVariables, unknownVariablesWarning } from './unknown-variables';

/** Injection token of the environment that was read. */
const ENVIRONMENT = Symbol('ENVIRONMENT');

/** Provides every class marked with `@Environment()`, validated, under its own type. */
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
