import type { OpenAPIObject } from '@nestjs/swagger';

type Kind = 'examples' | 'parameters' | 'requestBodies' | 'responses';

export interface Reference {
  $ref: string;
}

/** A value in the document, with the name that it may get in the components. */
export interface Named<Value> {
  name: string;
  value: Value;
  replace: (reference: Reference) => void;
}

/** Moves values that occur at least `least` times into the document's components, and replaces them by references. */
export function share<Value extends object>(document: OpenAPIObject, kind: Kind, all: Named<Value>[], least = 1): void {
  const shared = nameVariants(
    all,
    ({ name }) => name,
    ({ value }) => JSON.stringify(value),
    ({ replace }, name) => replace({ $ref: `#/components/${kind}/${name}` }),
    least,
  );
  document.components = {
    ...document.components,
    [kind]: {
      ...document.components?.[kind],
      ...(Object.fromEntries(shared.map(([name, { value }]) => [name, value])) as object),
    },
  };
}

/**
 * Gives different things that share a name different names, the most frequent first: `limit`, `limit_2`.
 *
 * @param kindOf returns a key that differs for different things
 * @param setName is called for each thing
 * @param least leaves out what occurs less often
 * @returns one of each, by its name, in the order of the names
 */
export function nameVariants<Thing>(
  all: Thing[],
  nameOf: (thing: Thing) => string,
  kindOf: (thing: Thing) => string,
  setName: (thing: Thing, name: string) => void,
  least = 1,
): [string, Thing][] {
  const named: [string, Thing][] = [];
  for (const [name, things] of groupBy(all, nameOf)) {
    const variants = [...groupBy(things, kindOf).values()]
      .filter(({ length }) => length >= least)
      .sort((one, other) => other.length - one.length);
    variants.forEach((variant, index) => {
      const key = index === 0 ? name : `${name}_${index + 1}`;
      variant.forEach((thing) => setName(thing, key));
      named.push(...variant.slice(0, 1).map((thing): [string, Thing] => [key, thing]));
    });
  }
  return named.sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Groups values by key, in their original order. */
export function groupBy<Value>(values: Value[], keyOf: (value: Value) => string): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return groups;
}
