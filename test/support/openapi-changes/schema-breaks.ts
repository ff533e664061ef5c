import { target } from '../dereference';
import {
  type Allowed,
  allowedBy,
  ANYTHING_ALLOWED,
  type ApiDocument,
  type Form,
  nameOf,
  type Schema,
} from './schema-forms';

/** The reader of a value: the service reads requests, and a client reads answers. */
export type Direction = 'request' | 'answer';

interface Break {
  /** `MessageDto.role`: the name of the schema if any, followed by the members on the path. */
  at: string;
  what: string;
}

/**
 * Compares the schemas in a released document with those in the current one. Requests that were valid must still be
 * accepted, and answers must match the released schema. Additions do not break anything: members of answers, optional
 * members of requests, values of enumerations, and further alternatives if there were several.
 */
export class SchemaBreaks {
  private readonly known = new Map<object, Map<object, Record<Direction, Break[] | undefined>>>();

  constructor(
    private readonly released: ApiDocument,
    private readonly current: ApiDocument,
  ) {}

  /**
   * The breaking changes, each as `MessageDto.role in answers: …`.
   *
   * @param at the location of the schema if it has no name
   */
  of(old: Schema | undefined, now: Schema | undefined, direction: Direction, at: string): string[] {
    return this.between(old, now, direction).map((found) => {
      const place = /^\w/.test(found.at) ? found.at : `${at}${found.at}`;
      return `${place} in ${direction}s: ${found.what}`;
    });
  }

  private between(old: Schema | undefined, now: Schema | undefined, direction: Direction): Break[] {
    if (old === undefined || now === undefined) {
      return this.compare(this.allowed(this.released, old), this.allowed(this.current, now), direction);
    }
    const found = this.once(old, now, direction);
    const name = nameOf(old);
    return name === null ? found : found.map(({ at, what }) => ({ at: /^\w/.test(at) ? at : `${name}${at}`, what }));
  }

  /** A schema that contains itself is compared once. */
  private once(old: Schema, now: Schema, direction: Direction): Break[] {
    const [ofOld, ofNow] = [identity(this.released, old), identity(this.current, now)];
    const others = this.known.get(ofOld) ?? new Map<object, Record<Direction, Break[] | undefined>>();
    const results = others.get(ofNow) ?? { request: undefined, answer: undefined };
    this.known.set(ofOld, others.set(ofNow, results));
    if (results[direction] === undefined) {
      results[direction] = [];
      results[direction] = this.compare(this.allowed(this.released, old), this.allowed(this.current, now), direction);
    }
    return results[direction];
  }

  private allowed(document: ApiDocument, schema: Schema | undefined): Allowed {
    return schema === undefined ? ANYTHING_ALLOWED : allowedBy(document, schema);
  }

  private compare(old: Allowed, now: Allowed, direction: Direction): Break[] {
    const [given, taken] = direction === 'request' ? [old, now] : [now, old];
    const nulls =
      given.isNullable && !taken.isNullable ? [wrong(direction === 'request' ? 'null is refused' : 'may be null')] : [];
    // An answer with one form may have no other now; one with several may have more.
    const isOne = direction === 'answer' && old.forms.length === 1;
    const breaks = isOne
      ? now.forms.flatMap((form) => this.best(old.forms, form, (one) => this.forms(one, form, direction)))
      : old.forms.flatMap((form) => this.best(now.forms, form, (one) => this.forms(form, one, direction)));
    return [...nulls, ...breaks];
  }

  /**
   * The breaking changes of the nearest candidate: a different type or member is farther away than any number of
   * limits.
   */
  private best(candidates: Form[], form: Form, compare: (candidate: Form) => Break[]): Break[] {
    const [first = [wrong(`${nameOfForm(form)} is gone`)], ...others] = candidates.map(compare);
    return others.reduce((nearest, breaks) => (distanceOf(breaks) < distanceOf(nearest) ? breaks : nearest), first);
  }

  private forms(old: Form, now: Form, direction: Direction): Break[] {
    const [given, taken] = direction === 'request' ? [old, now] : [now, old];
    if (!areTypesWithin(given.types, taken.types)) {
      return [wrong(`${old.types.join(' or ') || 'anything'} became ${now.types.join(' or ') || 'anything'}`)];
    }
    return [
      ...valueBreaks(old, now, direction),
      ...(direction === 'request' ? limitBreaks(old, now) : []),
      ...ruleBreaks(old, now, direction),
      ...this.memberBreaks(old, now, direction),
      ...(old.items ? below('[]', this.between(old.items, now.items, direction)) : []),
      ...(typeof old.others === 'object'
        ? below('.*', this.between(old.others, typeof now.others === 'object' ? now.others : undefined, direction))
        : []),
    ];
  }

  private memberBreaks(old: Form, now: Form, direction: Direction): Break[] {
    const kept = Object.entries(old.properties).flatMap(([name, schema]) => {
      const member = now.properties[name];
      return below(`.${name}`, member === undefined ? [wrong('is gone')] : this.between(schema, member, direction));
    });
    const [few, many, what] =
      direction === 'request'
        ? [old.required, now.required, 'is required now']
        : [now.required, old.required, 'may be absent now'];
    const changed = many.filter((name) => !few.includes(name) && (direction === 'request' || name in now.properties));
    return [...kept, ...changed.flatMap((name) => below(`.${name}`, [wrong(what)]))];
  }
}

function valueBreaks({ values: old }: Form, { values: now }: Form, direction: Direction): Break[] {
  if (direction === 'answer') {
    return old !== null && now === null ? [wrong('is no enumeration any more')] : [];
  }
  if (now === null) return [];
  if (old === null) return [wrong('takes only certain values now')];
  const gone = old.filter((value) => !now.includes(value));
  return gone.length > 0 ? [wrong(`takes no ${gone.join(', ')} any more`)] : [];
}

function limitBreaks({ limits: old }: Form, { limits: now }: Form): Break[] {
  return Object.entries(now).flatMap(([name, limit]) => {
    const before = old[name] ?? (/min/i.test(name) ? -Infinity : Infinity);
    // The number of elements is never negative.
    const isNarrower = /min/i.test(name)
      ? limit > before && !(limit === 0 && /Length|Items|Properties/.test(name))
      : limit < before;
    return isNarrower ? [wrong(`${name} ${old[name] ?? 'none'} became ${limit}`)] : [];
  });
}

function ruleBreaks({ rules: old }: Form, { rules: now }: Form, direction: Direction): Break[] {
  const [less, more] = direction === 'request' ? [old, now] : [now, old];
  return Object.entries(more)
    .filter(([name, rule]) => less[name] !== rule)
    .map(([name]) => wrong(`${name} ${old[name] ?? 'none'} became ${now[name] ?? 'none'}`));
}

function distanceOf(breaks: Break[]): number {
  return breaks.reduce((sum, { what }) => sum + (/^m(in|ax)\w+ none became/.test(what) ? 1 : 1_000), 0);
}

function areTypesWithin(given: string[], taken: string[]): boolean {
  const isTaken = (type: string): boolean => taken.includes(type) || (type === 'integer' && taken.includes('number'));
  return taken.length === 0 || (given.length > 0 && given.every(isTaken));
}

function nameOfForm({ types, values }: Form): string {
  return values?.join(' or ') ?? (types.join(' or ') || 'anything');
}

function below(member: string, breaks: Break[]): Break[] {
  return breaks.map(({ at, what }) => ({ at: /^\w/.test(at) ? at : `${member}${at}`, what }));
}

function wrong(what: string): Break {
  return { at: '', what };
}

function identity(document: ApiDocument, schema: Schema): object {
  return typeof schema.$ref === 'string' ? (target(document, schema.$ref) as object) : schema;
}
