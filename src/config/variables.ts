import type { Type } from '@nestjs/common';
import { type EnvironmentVariables, isAbsent, readConfiguration } from './load-configuration';
import { isFromFile } from './read-environment';

/** One setting of the service, in the form that operators write. */
export interface Variable {
  name: string;
  /** Lists are separated by commas. Null: not set, and without a default. */
  value: string | null;
  source: 'default' | 'environment' | 'file';
}

/** Names of settings whose values no response shows. A name is enough, so that modules from packages are covered too. */
const SECRET = /SECRET|PASSWORD|(^|_)(KEY|TOKEN)(_ID)?$/;

export function isSecretVariable(name: string): boolean {
  return SECRET.test(name);
}

/**
 * All variables of the service, sorted by name, also if they break a rule. Each value is in its normal form, so that
 * `yes` and `true` are the same.
 */
export function readVariables(classes: readonly Type<object>[], environment: EnvironmentVariables): Variable[] {
  const found = new Map<string, Variable>();
  for (const configurationClass of classes) {
    const values = readConfiguration(configurationClass, environment);
    for (const name of Object.keys(new configurationClass())) {
      const source = isAbsent(environment[name]) ? 'default' : isFromFile(name) ? 'file' : 'environment';
      found.set(name, { name, value: toText((values as Record<string, unknown>)[name]), source });
    }
  }
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The variables of the running service. */
export class Variables {
  constructor(readonly all: readonly Variable[]) {}
}

function toText(value: unknown): string | null {
  if (value === null || value === undefined) {
    return null;
  }
  return typeof value === 'string' ? value : Array.isArray(value) ? value.join() : JSON.stringify(value);
}
