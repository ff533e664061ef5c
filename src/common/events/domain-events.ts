import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Users whom an event concerns in addition to its own user. */
export interface EventHearers {
  /** SQL that selects their ids, with `?` for each of the parameters. */
  users: string;
  parameters: readonly number[];
}

/**
 * Something that happened. Listeners receive it in the transaction in which it happened. Modules create events with
 * their definitions (`defineEvent`).
 */
export interface DomainEvent<Data extends object = object> {
  /** `<subject>.<what happened>`, such as `chat.created`. */
  readonly type: string;
  /** The user to whom the event belongs; null if it concerns the whole installation. */
  readonly userId: number | null;
  /** Facts: ids, field names, states. */
  readonly data: Data;
  /** Users whose feeds also include the event. Their webhooks get only events that belong to no user. */
  readonly hearers?: EventHearers;
  /**
   * Text that people wrote or read, such as a message or a title. Only receivers that may read it and requested it get
   * it.
   */
  readonly content?: Readonly<Record<string, string | null>>;
  /** Only other modules receive the event: no webhook carries it, and no catalogue lists it. */
  readonly isInternal?: true;
}

/** Runs inside the transaction of the event. Its writes are committed with the change; a failure undoes both. */
export type DomainEventListener = (event: DomainEvent, manager: EntityManager) => Promise<void>;

/** A listener for all events that one change publishes together. */
export type DomainEventsListener = (events: DomainEvent[], manager: EntityManager) => Promise<void>;

/** Modules publish what happened, and other modules listen without the publisher knowing them. */
@Injectable()
export class DomainEvents {
  private readonly listeners: { types: RegExp; listener: DomainEventsListener }[] = [];

  /** @param types an event type, a group such as `chat.*`, or `*` */
  on(types: string, listener: DomainEventListener): void {
    this.onMany(types, async (events, manager) => {
      for (const event of events) {
        await listener(event, manager);
      }
    });
  }

  /** For a listener that stores many events with few statements. */
  onMany(types: string, listener: DomainEventsListener): void {
    const pattern = types.split('.').map((part) => (part === '*' ? '.+' : part.replace(/\W/g, '\\$&')));
    this.listeners.push({ types: new RegExp(`^${pattern.join('\\.')}$`), listener });
  }

  /** Call it within `Database.write`, with that transaction's manager. */
  publish(manager: EntityManager, event: DomainEvent): Promise<void> {
    return this.publishAll(manager, [event]);
  }

  /** Publishes all events of one change. Call it within `Database.write`, with that transaction's manager. */
  async publishAll(manager: EntityManager, events: readonly DomainEvent[]): Promise<void> {
    for (const { types, listener } of this.listeners) {
      const heard = events.filter(({ type }) => types.test(type));
      if (heard.length > 0) {
        await listener(heard, manager);
      }
    }
  }
}
