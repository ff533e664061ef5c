import type { Type } from '@nestjs/common';

const registered = new Set<Type<object>>();

/**
 * Marks a class as a part of the configuration: its property names are the names of environment variables, its
 * initialisers the defaults, its class-validator decorators the rules.
 *
 * The class belongs to the folder that uses it and is injected by its own type. Importing it registers it, so a new
 * module brings its own settings.
 *
 * @example
 * \@Environment()
 * export class ReportConfig {
 *   \@IsInt() \@Min(1) \@Type(() => Number)
 *   REPORT_ROWS = 100;
 * }
 */
export function Environment(): ClassDecorator {
  return (target) => {
    registered.add(target as unknown as Type<object>);
  };
}

/** The classes marked with `@Environment()` so far, in the order of their import. */
export function registeredEnvironments(): Type<object>[] {
  return [...registered];
}
