import { DynamicModule, Inject, Logger, Module, OnModuleInit, type Type } from '@nestjs/common';
import { EnvironmentVariables, loadConfiguration } from './load-configuration';
import { unknownVariables, unknownVariablesWarning } from './unknown-variables';

/** Injection token of the environment variables. */
const ENVIRONMENT = Symbol('ENVIRONMENT');

/** Injection token of the classes of the configuration. */
const CLASSES = Symbol('CLASSES');

/**
 * Provides an object of every class of the configuration, validated, under its own type. The property names of such a class are
 * the names of environment variables, its initialisers the defaults, its class-validator decorators the rules.
 * This folder reads the environment. `loadConfiguration` makes and checks the objects. `environment-rules.ts` and
 * `address.ts` have the rules for variables, and `unknown-variables.ts` warns about misspelt names. Classes for one
 * feature are in the feature's folder, and its module names them in `@Feature({ configuration })`.
 */
@Module({})
export class ConfigurationModule implements OnModuleInit {
  private readonly logger = new Logger(ConfigurationModule.name);

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: EnvironmentVariables,
    @Inject(CLASSES) private readonly classes: Type<object>[],
  ) {}

  /**
   * @param classes of the configuration, which modules name in `@Feature({ configuration })`
   * @throws ConfigurationError when any variable breaks its rule.
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
