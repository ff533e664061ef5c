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
 */
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
 * Names the different things among those that want the same name, the most frequent first: `limit`, `limit_2`.
 *
 * @param kindOf tells different things apart
 * @param setName is called for each of them
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

/** Values in the order in which they come, by what is the same for each group. */
export function groupBy<Value>(values: Value[], keyOf: (value: Value) => string): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return groups;
}
