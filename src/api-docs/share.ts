import type { OpenAPIObject } from '@nestjs/swagger';

type Kind = 'examples' | 'parameters' | 'requestBodies' | 'responses';

export interface Reference {
  $ref: string;
}

/** A value in the document, with its possible name in the components. */
export interface Named<Value> {
  name: string;
  value: Value;
  replace: (reference: Reference) => void;
}

/**
 * Moves values that occur at least `least` times into the document's components, and puts references in their places.
 * Different values with the same name get numbers, the most frequent first: `limit`, `limit_2`.
 */
export function share<Value extends object>(document: OpenAPIObject, kind: Kind, all: Named<Value>[], least = 1): void {
  const shared: [string, Value][] = [];
  for (const [name, named] of groupBy(all, ({ name }) => name)) {
    const variants = [...groupBy(named, ({ value }) => JSON.stringify(value)).values()]
      .filter(({ length }) => length >= least)
      .sort((one, other) => other.length - one.length);
    variants.forEach((variant, index) => {
      const key = index === 0 ? name : `${name}_${index + 1}`;
      variant.forEach(({ replace }) => replace({ $ref: `#/components/${kind}/${key}` }));
      shared.push(...variant.slice(0, 1).map(({ value }): [string, Value] => [key, value]));
    });
  }
  shared.sort(([one], [other]) => (one < other ? -1 : 1));
  document.components = {
    ...document.components,
    [kind]: { ...document.components?.[kind], ...Object.fromEntries(shared) },
  };
}

function groupBy<Value>(values: Value[], keyOf: (value: Value) => string): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return groups;
}
