import { DynamicModule, Inject, Logger, Module, OnModuleInit, type Type } from '@nestjs/common';
import { EnvironmentVariables, loadConfiguration } from './load-configuration';
import { unknownVariables, unknownVariablesWarning } from './unknown-variables';

/** Injection token of the environment variables. */
const ENVIRONMENT = Symbol('ENVIRONMENT');

/** Injection token of the configuration classes. */
const CLASSES = Symbol('CLASSES');

/**
 * Provides an object of every configuration class, validated, under its own type. The property names of such a class
 * are the names of environment variables, its initialisers the defaults, its class-validator decorators the rules. This
 * folder reads the environment. `loadConfiguration` creates and validates the objects. `environment-rules.ts` and
 * `address.ts` have the rules for variables, and `unknown-variables.ts` warns about misspelt names. The class for a
 * feature is in the feature's folder, and its module names it in `@Feature({ configuration })`.
 */
@Module({})
export class ConfigurationModule implements OnModuleInit {
  private readonly logger = new Logger(ConfigurationModule.name);

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: EnvironmentVariables,
    @Inject(CLASSES) private readonly classes: Type<object>[],
  ) {}

  /**
   * @param classes configuration classes, which modules name in `@Feature({ configuration })`
   * @throws ConfigurationError if any variable breaks its rule
   */
  static forRoot(classes: Type<object>[], environment: EnvironmentVariables): DynamicModule {
    const loaded = loadConfiguration(classes, environment);
    const providers = [...loaded].map(([provide, useValue]) => ({ provide, useValue }));
    return {
      module: ConfigurationModule,
      global: true,
      providers: [
        ...providers,
        { provide: ENVIRONMENT, useValue: environment },
        { provide: CLASSES, useValue: classes },
      ],
      exports: providers,
    };
  }

  onModuleInit(): void {
    const known = this.classes.flatMap((environment) => Object.keys(new environment()));
    const warning = unknownVariablesWarning(unknownVariables(this.environment, known));
    if (warning !== null) {
      this.logger.warn(warning);
    }
  }
}
