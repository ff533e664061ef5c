import type { EventSourceMessage } from 'eventsource-parser';

/** Understands one provider's events. What it throws ends the request with that error. */
export interface EventStreamReader {
  /** Whether the provider has said that the reply is complete; later events are not read. */
  readonly isComplete: boolean;
  onEvent(event: EventSourceMessage): void;
  /** The answer has ended. Throws when the reply is not complete without what is missing. */
  onEnd(): void;
}

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object stored under `key`; an empty one if there is none, so that reads can be chained. */
export function objectAt(parent: JsonObject, key: string): JsonObject {
  const value = parent[key];
  return isObject(value) ? value : {};
}
