import { SetMetadata } from '@nestjs/common';

export const AUDITED_METADATA = 'audited';

/** How the entry of a route is called that records nothing in a transaction of its own. */
export interface AuditedAction {
  action: string;
  targetType: string;
}

/** Names the log entry of a route that changes nothing in the database, such as a trial of a model. */
export const Audited = (action: string, targetType: string): MethodDecorator =>
  SetMetadata(AUDITED_METADATA, { action, targetType } satisfies AuditedAction);
