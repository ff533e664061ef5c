import type { DomainEvent } from '../events/domain-events';
import { type AuditState, changeOf } from './audit-state';

/** How a module describes the log entries of one kind of thing. */
interface Description<Thing> {
  /** The kind of thing: the `target_type` of the entries, and the first word of their actions. */
  subject: string;
  /** What the log shows of a thing: wire names and JSON values. */
  state: (thing: Thing) => AuditState;
  /** Members of the state that identify a person or that a person wrote. Erasure removes them. */
  personal: readonly string[];
  /** Whether the log stores changes outside audited requests too, such as those by the service itself. */
  isAlwaysLogged?: boolean;
}

/** A change of a thing. */
interface Change<Thing> {
  /** Id or name of the thing; null if only one can exist. */
  id: number | string | null;
  /** The user who owns the thing; null if it has no owner. */
  userId: number | null;
  /** The thing before the change; null if it is new, or was only read. */
  before: Thing | null;
  /** The thing after the change; null if it was deleted, or only read. */
  after: Thing | null;
  /** Facts for both sides of the entry, such as the id of the part that was changed. */
  about?: AuditState;
  /** The reason that the administrator gave. */
  reason?: string;
  /** The administrator, if the change comes after the request that caused it. */
  actorId?: number;
}

/** A change in the form that the audit log stores. */
export interface AuditedChange {
  /** `<subject>.<verb>`, such as `user.ban`. Requests without a name have the method and the route. */
  action: string;
  targetType: string;
  targetId: number | string | null;
  /** The changed fields before the change. */
  before: AuditState | null;
  /** The changed fields after the change. */
  after: AuditState | null;
  reason?: string;
  /** Whether the log stores the change outside an audited request too. */
  isAlwaysLogged?: boolean;
  /** The administrator, if the change comes after the request that caused it. */
  actorId?: number;
}

/** What the log needs to know about a kind of thing. */
export type AuditKind = Pick<Description<never>, 'subject' | 'personal'>;

export interface AuditDefinition<Thing> extends Readonly<Description<Thing>> {
  /**
   * An event that describes a change. Publish it in the transaction of the change. The log stores it if an
   * administrator made the request and the route is audited, or if the definition is always logged.
   *
   * @param verb such as `create`; the entry's action is `<subject>.<verb>`
   */
  change(verb: string, change: Change<Thing>): DomainEvent<AuditedChange>;
}

/** The pattern of audited changes for `DomainEvents.on`. */
export const AUDITED_CHANGES = 'audit.*';

/** An event for a request for which no module published a change. */
export function auditedRequest(data: AuditedChange): DomainEvent<AuditedChange> {
  return { type: 'audit.request', userId: null, data, isInternal: true };
}

/**
 * Defines how the audit log shows a kind of thing before and after a change. The module that publishes the changes
 * names it in `@Feature({ audits })`.
 *
 * @example
 * export const bookmarkAudit = defineAudit<BookmarkEntity>({
 *   subject: 'bookmark',
 *   state: ({ messageId, note }) => ({ message_id: messageId, note }),
 *   personal: ['note'],
 * });
 *
 * await this.events.publish(manager, bookmarkAudit.change('delete', { id, userId, before: bookmark, after: null }));
 */
export function defineAudit<Thing>(description: Description<Thing>): AuditDefinition<Thing> {
  const { subject, state, isAlwaysLogged } = description;
  return {
    ...description,
    change(verb, { id, userId, before, after, about = {}, reason, actorId }) {
      const change = changeOf(before && state(before), after && state(after));
      const data = {
        action: `${subject}.${verb}`,
        targetType: subject,
        targetId: id,
        before: change.before && { ...about, ...change.before },
        after: change.after && { ...about, ...change.after },
        reason,
        isAlwaysLogged,
        actorId,
      };
      return { type: `audit.${subject}.${verb}`, userId, data, isInternal: true };
    },
  };
}
