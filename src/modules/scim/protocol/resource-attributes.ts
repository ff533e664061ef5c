import { scimmy } from './scimmy';

/** Attributes of people that are kept; the others are read and forgotten. */
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

/** The attributes of a kind of resources. */
export interface ResourceAttributes {
  /** Those of the standard. */
  known: readonly Attribute[];
  /** Names of those that are read and forgotten. */
  forgotten: ReadonlySet<string>;
}

const COMMON = ['schemas', 'id', 'externalId', 'meta'];

export const OF_PEOPLE = attributesOf(scimmy.Schemas.User, (name) => KEPT_OF_PEOPLE.has(name));

export const OF_GROUPS = attributesOf(scimmy.Schemas.Group, () => true);

const CORE_SCHEMA = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i;

/** A truth value that Entra writes as text. */
const TRUTH_AS_TEXT = /\b(primary|active) eq "(true|false)"/gi;

/** A path as the library takes it: without the name of the core schema, and in the standard's case, which counts for nobody else. */
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

/** Whether the attribute of a path, or of a member of a body, is read and forgotten: also all of schemas that are none of ours. */
export function isForgotten(path: string, { known, forgotten }: ResourceAttributes): boolean {
  const local = path.replace(CORE_SCHEMA, '');
  const [name = ''] = /^\w+/.exec(local) ?? [];
  return /^urn:/i.test(local) || forgotten.has(named(known, name)?.name ?? '');
}

/** A body without what is forgotten, and without what is null, which says as little as what is absent (RFC 7643 §2.5). */
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
