import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { ConfigurationError } from './configuration.error';

/** Environment variables by name; an empty value counts as absent, as in shells and compose files. */
export type EnvironmentVariables = Record<string, string | undefined>;

export function isAbsent(value: string | undefined): boolean {
  return value === undefined || value.trim() === '';
}

/** Validated configuration objects by their class. */
export type LoadedConfiguration = Map<Type<object>, object>;

/** Builds the object of a configuration class without validating it. */
export function readConfiguration<Configuration extends object>(
  configurationClass: Type<Configuration>,
  environment: EnvironmentVariables,
): Configuration {
  // Rules may depend on the mode, so each class sees it even when the variable is absent.
  const plain = { ...environment, NODE_ENV: isAbsent(environment.NODE_ENV) ? 'development' : environment.NODE_ENV };
  const names = Object.keys(new configurationClass());
  const own = Object.entries(plain).filter(([name, value]) => names.includes(name) && !isAbsent(value));
  return plainToInstance(configurationClass, Object.fromEntries(own), { exposeDefaultValues: true });
}

/**
 * Builds and validates one object per configuration class.
 *
 * @throws ConfigurationError with the faults of all classes, so that an operator can fix them in one go
 */
export function loadConfiguration(classes: Type<object>[], environment: EnvironmentVariables): LoadedConfiguration {
  const loaded: LoadedConfiguration = new Map();
  const faults: string[] = [];
  for (const configurationClass of classes) {
    const instance = readConfiguration(configurationClass, environment);
    for (const error of validateSync(instance, { stopAtFirstError: true })) {
      faults.push(...Object.values(error.constraints ?? {}));
    }
    loaded.set(configurationClass, instance);
  }
  if (faults.length > 0) {
    throw new ConfigurationError([...new Set(faults)]);
  }
  return loaded;
}
