import Ajv, { type ValidateFunction } from 'ajv';
import { EVENTS, ITEM, RESPONSE } from './schemas';

export interface ResponseEvent {
  type: string;
  sequence_number: number;
  [name: string]: unknown;
}

const ajv = new Ajv({ strict: false, allErrors: true });
const isResponse = ajv.compile(RESPONSE);
const isItem = ajv.compile(ITEM);
const events = new Map([...EVENTS].map(([type, schema]) => [type, ajv.compile(schema)]));

/** Fails unless the value is a standard response. */
export function checkResponse<Value>(value: Value): Value {
  check(isResponse, withoutCost(value));
  return value;
}

/** The standard has no cost. Gateway clients do, and read it from the usage. */
function withoutCost<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), function (this: unknown, name: string, member: unknown) {
    if (name === 'usage' && typeof member === 'object' && member !== null) {
      const { cost: _cost, ...counts } = member as Record<string, unknown>;
      return counts;
    }
    return member;
  }) as Value;
}

export function checkItem<Value>(value: Value): Value {
  return check(isItem, value);
}

/**
 * The events in a stream, each checked. Fails unless the name of each is its type, numbers are consecutive from
 * `first`, there is no `id:`, and the end is `[DONE]`.
 */
export function readEvents(text: string, first = 0): ResponseEvent[] {
  const blocks = text.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
  if (blocks.pop() !== 'data: [DONE]') {
    throw new Error(`The stream has no end mark: ${text.slice(-300)}`);
  }
  return blocks.map((block, index) => {
    const [, name, data] = /^event: (\S+)\ndata: (.+)$/s.exec(block) ?? [];
    const event = JSON.parse(data ?? 'null') as ResponseEvent;
    if (name !== event.type || event.sequence_number !== first + index) {
      throw new Error(`Event ${first + index} is ${block}`);
    }
    return checkEvent(event);
  });
}

export function checkEvent<Event extends { type: string }>(event: Event): Event {
  const isEvent = events.get(event.type);
  if (isEvent === undefined) {
    throw new Error(`There is no event ${event.type}`);
  }
  check(isEvent, withoutCost(event));
  return event;
}

function check<Value>(validate: ValidateFunction, value: Value): Value {
  if (!validate(value)) {
    throw new Error(`${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`);
  }
  return value;
}
