import { scimmy } from './scimmy';

/** Attributes of people that are stored. The others are accepted and ignored. */
export const KEPT_OF_PEOPLE: ReadonlySet<string> = new Set([
  'userName',
  'name',
  'displayName',
  'nickName',
  'title',
  'userType',
  'preferredLanguage',
  'locale',
  'timezone',
  'active',
  'emails',
  'groups',
]);

interface Attribute {
  name: string;
  subAttributes?: Attribute[];
}

/** The attributes of a resource type. */
export interface ResourceAttributes {
  /** The attributes of the standard. */
  known: readonly Attribute[];
  /** Names of attributes that are accepted and ignored. */
  forgotten: ReadonlySet<string>;
}

const COMMON = ['schemas', 'id', 'externalId', 'meta'];

export const OF_PEOPLE = attributesOf(scimmy.Schemas.User, (name) => KEPT_OF_PEOPLE.has(name));

export const OF_GROUPS = attributesOf(scimmy.Schemas.Group, () => true);

const CORE_SCHEMA = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i;

/** A boolean that Entra writes as text. */
const TRUTH_AS_TEXT = /\b(primary|active) eq "(true|false)"/gi;

/**
 * A path in the form of the library: without the name of the core schema, and in the standard's case, on which the
 * library relies although paths are case-insensitive.
 */
export function plainPath(path: string, { known }: ResourceAttributes): string {
  const local = path.replace(CORE_SCHEMA, '');
  const [, name, filter = '', part] = /^(\w+)(\[[^\]]*\])?(?:\.([\w$]+))?$/.exec(local) ?? [];
  const attribute = named(known, name);
  if (!attribute) {
    return local;
  }
  const condition = filter.replace(TRUTH_AS_TEXT, (_all, truth: string, value: string) =>
    `${truth} eq ${value}`.toLowerCase(),
  );
  return (
    attribute.name + condition + (part === undefined ? '' : `.${named(attribute.subAttributes, part)?.name ?? part}`)
  );
}

/** Whether the attribute of a path, or of a member of a body, is ignored. All attributes of unknown schemas are. */
export function isForgotten(path: string, { known, forgotten }: ResourceAttributes): boolean {
  const local = path.replace(CORE_SCHEMA, '');
  const [name = ''] = /^\w+/.exec(local) ?? [];
  return /^urn:/i.test(local) || forgotten.has(named(known, name)?.name ?? '');
}

/** A body without ignored members and without null members, which mean the same as absent ones (RFC 7643 §2.5). */
export function withoutForgotten(body: object, attributes: ResourceAttributes): object {
  const members = Object.entries(body) as [string, unknown][];
  return Object.fromEntries(members.filter(([name, value]) => value !== null && !isForgotten(name, attributes)));
}

function attributesOf(
  { definition }: { definition: { attributes: readonly unknown[] } },
  isStored: (name: string) => boolean,
): ResourceAttributes {
  const known = definition.attributes as readonly Attribute[];
  const names = known.map(({ name }) => name).filter((name) => !COMMON.includes(name) && !isStored(name));
  return { known, forgotten: new Set(names) };
}

function named(attributes: readonly Attribute[] | undefined, name: string | undefined): Attribute | undefined {
  return attributes?.find((attribute) => attribute.name.toLowerCase() === name?.toLowerCase());
}
