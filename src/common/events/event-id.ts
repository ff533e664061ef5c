import { randomBytes } from 'node:crypto';
import type { DomainEvent } from './domain-events';

const ids = new WeakMap<DomainEvent, string>();

/** `evt_…`, the same for everybody who is told of this event, in whatever way. */
export function eventIdOf(event: DomainEvent): string {
  const id = ids.get(event) ?? `evt_${randomBytes(16).toString('hex')}`;
  ids.set(event, id);
  return id;
}
