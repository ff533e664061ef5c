import { DynamicModule, Inject, Logger, Module, OnModuleInit, type Type } from '@nestjs/common';
import { closest, distance } from 'fastest-levenshtein';
import { EnvironmentVariables, isAbsent, loadConfiguration } from './load-configuration';
import { readVariables, Variables } from './variables';

/** Injection token of the environment variables. */
const ENVIRONMENT = Symbol('ENVIRONMENT');

/** Injection token of the configuration classes. */
const CLASSES = Symbol('CLASSES');

/**
 * Provides an object of every configuration class, validated, under its own type. The property names of such a class
 * are the names of environment variables, its initialisers the defaults, its class-validator decorators the rules. This
 * folder reads the environment. `loadConfiguration` creates and validates the objects. `environment-rules.ts` and
 * `address.ts` have the rules for variables. The module warns about misspelt names. The class for a
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
    const variables = { provide: Variables, useValue: new Variables(readVariables(classes, environment)) };
    const providers = [...[...loaded].map(([provide, useValue]) => ({ provide, useValue })), variables];
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

/** First words of the service's variables that Node.js, shells, hosts and OpenTelemetry also use for their own. */
const SHARED_WORDS = new Set(['NODE', 'HOST', 'PORT', 'OTEL']);

/** Addresses for which hosting services also set the parts, such as REDIS_HOST. */
const HOSTED_ADDRESSES = ['DATABASE_URL', 'REDIS_URL'];

/** Variables of Kubernetes and Docker about other containers: REDIS_SERVICE_HOST, REDIS_PORT_6379_TCP. */
const NEIGHBOUR = /_SERVICE_(HOST|PORT)(_|$)|_PORT(_\d+_(TCP|UDP)(_|$)|$)|_(ENV|NAME)$/;

/** A name counts as misspelt if at most this many letters differ. */
const CLOSE = 3;

/** A variable that the service does not read. */
interface UnknownVariable {
  name: string;
  /** The variable that was probably meant. */
  meant: string | null;
}

/**
 * Variables whose names look like the service's own but are unknown. Usually they are misspelt, and the service would
 * silently ignore them.
 *
 * @param known the names of all variables of the service
 */
export function unknownVariables(environment: EnvironmentVariables, known: readonly string[]): UnknownVariable[] {
  const names = new Set(known);
  const words = new Set(known.filter((name) => name.includes('_')).map(firstWord));
  return Object.keys(environment)
    .filter((name) => !isAbsent(environment[name]) && !names.has(name))
    .filter((name) => name.includes('_') && words.has(firstWord(name)) && !SHARED_WORDS.has(firstWord(name)))
    .map((name) => ({ name, meant: nearest(name, known) }))
    .filter(({ name, meant }) => meant !== null || !isForeign(name, environment))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** One sentence for the log; null if there are no such variables. */
export function unknownVariablesWarning(unknown: readonly UnknownVariable[]): string | null {
  if (unknown.length === 0) {
    return null;
  }
  const named = unknown.map(({ name, meant }) => (meant === null ? name : `${name} (did you mean ${meant}?)`));
  return `These variables are not known and count for nothing: ${named.join(', ')}. .env.example has those there are.`;
}

function nearest(name: string, known: readonly string[]): string | null {
  const candidate = closest(name, known);
  return distance(name, candidate) <= CLOSE ? candidate : null;
}

function isForeign(name: string, environment: EnvironmentVariables): boolean {
  const isPartOfAddress = HOSTED_ADDRESSES.some(
    (address) => firstWord(address) === firstWord(name) && !isAbsent(environment[address]),
  );
  return isPartOfAddress || NEIGHBOUR.test(name);
}

function firstWord(name: string): string {
  return name.slice(0, name.indexOf('_'));
}
