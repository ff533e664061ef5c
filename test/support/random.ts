/** Random choices that are the same for the same seed (Park and Miller). */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = (seed % 2_147_483_646) + 1;
  }

  /** From 0, and smaller than 1. */
  next(): number {
    this.state = (this.state * 48_271) % 2_147_483_647;
    return (this.state - 1) / 2_147_483_646;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
}

/** Invalid values for any place. */
const JUNK: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  2 ** 60,
  '',
  ' ',
  'text',
  'null',
  '\u0000',
  '🦊'.repeat(50),
  'x'.repeat(3_000),
  "'; DROP TABLE messages; --",
  '{{7*7}}',
  'data:image/png;base64,AAAA',
  'http://127.0.0.1:1/',
  'file:///etc/passwd',
  [],
  [[]],
  [null],
  {},
  { type: 'text' },
  { type: 'function' },
  { constructor: 1 },
  Array.from({ length: 200 }, () => 'x'),
];

/** A copy of a value with a few random changes: junk, removal, duplication, another place's value. */
export function mutated(value: unknown, random: Random): unknown {
  let copy = structuredClone(value);
  for (let count = random.below(4); count > 0; count--) {
    copy = mutateOnce(copy, random);
  }
  return copy;
}

function mutateOnce(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.next() < 0.1) {
    return junk(random);
  }
  const keys = Object.keys(value);
  if (keys.length === 0 || random.next() < 0.1) {
    return Array.isArray(value) ? [...value, junk(random)] : { ...value, [random.pick(NAMES)]: junk(random) };
  }
  const key = random.pick(keys);
  const holder = value as Record<string, unknown>;
  const choice = random.next();
  if (choice < 0.5) {
    holder[key] = mutateOnce(holder[key], random);
  } else if (choice < 0.65) {
    delete holder[key];
  } else if (choice < 0.8) {
    holder[key] = structuredClone(holder[random.pick(keys)]);
  } else if (Array.isArray(value)) {
    value.push(structuredClone(value[Number(key)]));
  } else {
    holder[random.pick(NAMES)] = junk(random);
  }
  return Array.isArray(value) ? value.filter((item) => item !== undefined) : value;
}

function junk(random: Random): unknown {
  return structuredClone(random.pick(JUNK));
}

const NAMES = ['type', 'role', 'content', 'id', 'tools', 'stream', 'input', 'metadata', '__proto__', 'toString', 'x'];
