import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { AuditInterceptor } from './audit.interceptor';

export const AUDITED_METADATA = 'audited';
export const AUDITS_ADMINISTRATORS_METADATA = 'audits-administrators';
export const AUDITS_EVERYBODY_METADATA = 'audits-everybody';

/** Describes the log entry of a route that changes nothing in the database. */
export interface AuditedAction {
  action: string;
  targetType: string;
  /** Fields of the body that the entry keeps. */
  fields: string[];
  /** Only requests with this member of the query or the body are in the log; absent: all are. */
  onlyWith?: string;
}

/**
 * Names the log entry of a route that changes nothing in the database, such as a trial of a model. A `GET` with it is in the
 * log too.
 *
 * @param fields of the body, as the entry's state after; they must be fields of its DTO that hold no objects
 * @param onlyWith a member of the query or the body without which a request has no entry
 */
export const Audited = (
  action: string,
  targetType: string,
  fields: string[] = [],
  onlyWith?: string,
): MethodDecorator => SetMetadata(AUDITED_METADATA, { action, targetType, fields, onlyWith } satisfies AuditedAction);

/**
 * For controllers that everybody may use: the audit log keeps what administrators change there. Routes with
 * `@AdminOnly()` do not need this decorator.
 */
export const AuditAdministrators = (): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(AUDITS_ADMINISTRATORS_METADATA, true), UseInterceptors(AuditInterceptor));

/** For controllers of what administrators must know of, whoever does it: the audit log keeps what anybody changes there. */
export const AuditEverybody = (): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(AUDITS_EVERYBODY_METADATA, true), UseInterceptors(AuditInterceptor));
