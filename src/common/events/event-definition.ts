import type { DomainEvent } from './domain-events';
import type { EventField, FieldSchema, Schema, ValueOf } from './event-fields';

type Fields = Record<string, EventField>;
type Contents = Record<string, Schema<string> | Schema<string | null>>;

/** The data of an event with these members. */
export type DataOf<Members extends Fields> = { [Name in keyof Members]: ValueOf<Members[Name]['schema']> };

type ContentOf<Members extends Contents> = { [Name in keyof Members]: ValueOf<Members[Name]> };

/** How a module describes one type of event. */
interface Description<Members extends Fields, Example> {
  /** When it happens, in one sentence. */
  description: string;
  /** Members of `data`, each marked with `fact(…)` or `personal(…)`. */
  fields: Members;
  /** A realistic `data`, with its content. */
  example: Example;
}

interface DescriptionWithContent<Members extends Fields, Content extends Contents> extends Description<
  Members,
  DataOf<Members> & ContentOf<Content>
> {
  /** Text that people wrote or read. Only endpoints with `include_content` get it, as further members of `data`. */
  content: Content;
}

/** The catalogue's description of one type of event. */
export interface EventKind {
  readonly type: string;
  readonly description: string;
  readonly fields: Readonly<Record<string, FieldSchema>>;
  /** The fields that erasure empties. */
  readonly personal: readonly string[];
  readonly content: Readonly<Record<string, FieldSchema>>;
  readonly example: Readonly<Record<string, unknown>>;
}

/** Creates events of one type. */
export type EventDefinition<Data extends object, Content extends unknown[] = []> = EventKind &
  ((userId: number | null, data: Data, ...content: Content) => DomainEvent<Data>);

/**
 * Defines a type of event: the type of its data, its JSON Schema and example, which members are personal, and the kind
 * that webhooks subscribe to. The module that publishes it names it in `@Feature({ events })`.
 *
 * @param type `<subject>.<what happened>`, such as `bookmark.created`
 *
 * @example
 * export const bookmarkCreated = defineEvent('bookmark.created', {
 *   description: 'A user marked a message.',
 *   fields: { bookmark_id: fact(integer('The bookmark.')), note: personal(text('What the user noted.')) },
 *   example: { bookmark_id: 5, note: 'Read again.' },
 * });
 *
 * await this.events.publish(manager, bookmarkCreated(userId, { bookmark_id, note }));
 */
export function defineEvent<Members extends Fields, Content extends Contents>(
  type: string,
  description: DescriptionWithContent<Members, Content>,
): EventDefinition<DataOf<Members>, [content: ContentOf<Content>]>;
export function defineEvent<Members extends Fields>(
  type: string,
  description: Description<Members, DataOf<Members>>,
): EventDefinition<DataOf<Members>>;
export function defineEvent(
  type: string,
  { description, fields, content = {}, example }: Description<Fields, object> & { content?: Contents },
): EventKind {
  const kind: EventKind = {
    type,
    description,
    fields: Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])),
    personal: Object.entries(fields).flatMap(([name, field]) => (isPersonal(type, name, field) ? [name] : [])),
    content,
    example: { ...example },
  };
  const make = (userId: number | null, data: object, texts?: DomainEvent['content']): DomainEvent =>
    assertDefined(kind, { type, userId, data, ...(texts && { content: texts }) });
  return Object.assign(make, kind);
}

/** @throws Error for a member without a mark, which the compiler also rejects */
function isPersonal(type: string, name: string, field: Partial<EventField>): boolean {
  if (typeof field.isPersonal !== 'boolean') {
    throw new Error(`${type}: mark the member ${name} with fact(…) or personal(…).`);
  }
  return field.isPersonal;
}

/** A member without a mark must not leave the service, because erasure would not find it. */
function assertDefined(kind: EventKind, event: DomainEvent): DomainEvent {
  const unknown = [
    ...Object.keys(event.data).filter((name) => !Object.hasOwn(kind.fields, name)),
    ...Object.keys(event.content ?? {}).filter((name) => !Object.hasOwn(kind.content, name)),
  ];
  if (unknown.length > 0) {
    throw new Error(`${kind.type} does not define the member ${unknown.join(', ')}.`);
  }
  return event;
}
