import { randomBytes } from 'node:crypto';
import type { DomainEvent } from './domain-events';

const ids = new WeakMap<DomainEvent, string>();

/** `evt_…`, the same for all receivers and delivery channels of this event. */
export function eventIdOf(event: DomainEvent): string {
  const id = ids.get(event) ?? `evt_${randomBytes(16).toString('hex')}`;
  ids.set(event, id);
  return id;
}
