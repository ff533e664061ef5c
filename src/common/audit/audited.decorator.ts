import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { AuditInterceptor } from './audit.interceptor';

export const AUDITED_METADATA = 'audited';
export const AUDITS_ADMINISTRATORS_METADATA = 'audits-administrators';
export const AUDITS_EVERYBODY_METADATA = 'audits-everybody';

/** Describes the log entry of a route that changes nothing in the database. */
export interface AuditedAction {
  action: string;
  targetType: string;
  /** Fields of the body that the entry includes. */
  fields: string[];
  /** The log includes only requests with this member of the query or the body. Absent: all requests. */
  onlyWith?: string;
}

/**
 * Names the log entry of a route that changes nothing in the database, such as a trial of a model. It also logs `GET`
 * requests.
 *
 * @param fields of the body, logged as the state after the change; they must be fields of its DTO that hold no objects
 * @param onlyWith a member of the query or the body without which a request has no entry
 */
export const Audited = (
  action: string,
  targetType: string,
  fields: string[] = [],
  onlyWith?: string,
): MethodDecorator => SetMetadata(AUDITED_METADATA, { action, targetType, fields, onlyWith } satisfies AuditedAction);

/**
 * For controllers open to all users: the audit log records what administrators change there. Routes with `@AdminOnly()`
 * do not need this decorator.
 */
export const AuditAdministrators = (): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(AUDITS_ADMINISTRATORS_METADATA, true), UseInterceptors(AuditInterceptor));

/** For controllers whose changes administrators must always know of: the audit log records the changes of all users. */
export const AuditEverybody = (): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(AUDITS_EVERYBODY_METADATA, true), UseInterceptors(AuditInterceptor));
