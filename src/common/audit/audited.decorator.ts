import { SetMetadata } from '@nestjs/common';

export const AUDITED_METADATA = 'audited';
export const AUDITS_ADMINISTRATORS_METADATA = 'audits-administrators';

/** How the entry of a route is called that records nothing in a transaction of its own. */
export interface AuditedAction {
  action: string;
  targetType: string;
  /** Fields of the body that the entry keeps. */
  fields: string[];
}

/**
 * Names the log entry of a route that changes nothing in the database, such as a trial of a model.
 *
 * @param fields of the body, as the entry's state after; they must be fields of its DTO that hold no objects
 */
export const Audited = (action: string, targetType: string, fields: string[] = []): MethodDecorator =>
  SetMetadata(AUDITED_METADATA, { action, targetType, fields } satisfies AuditedAction);

/**
 * For controllers that everybody may use: what administrators change there is in the audit log, as on the routes of
 * `@AdminOnly()`, which need no such mark.
 */
export const AuditAdministrators = (): ClassDecorator & MethodDecorator =>
  SetMetadata(AUDITS_ADMINISTRATORS_METADATA, true);
