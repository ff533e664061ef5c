/*
 * Decodes OTLP traces in protobuf into the form that OTLP has in JSON. Written for tests from the field numbers of
 * opentelemetry-proto, so that it does not depend on the library that encodes.
 */

type Reader = (bytes: Buffer) => unknown;

/** How a field is read. `isMany`: it may be repeated. */
interface Field {
  name: string;
  read: Reader;
  isMany?: true;
}

const text: Reader = (bytes) => bytes.toString('utf8');
const hex: Reader = (bytes) => bytes.toString('hex');
const fixed: Reader = (bytes) => bytes.readBigUInt64LE().toString();
const double: Reader = (bytes) => bytes.readDoubleLE();
const number: Reader = (bytes) => Number(varint(bytes, 0).value);
const flag: Reader = (bytes) => number(bytes) === 1;

/** A reader of messages. @param fields by number */
function message(fields: () => Record<number, Field>): Reader {
  return (bytes) => {
    const read: Record<string, unknown> = {};
    for (const [id, value] of parts(bytes)) {
      const field = fields()[id];
      if (field?.isMany) {
        ((read[field.name] ??= []) as unknown[]).push(field.read(value));
      } else if (field) {
        read[field.name] = field.read(value);
      }
    }
    return read;
  };
}

/** The fields of a message with their bytes. A number of variable length keeps its encoding. */
function* parts(bytes: Buffer): Generator<[id: number, value: Buffer]> {
  for (let at = 0; at < bytes.length;) {
    const tag = varint(bytes, at);
    const [id, wire] = [Number(tag.value >> 3n), Number(tag.value & 7n)];
    at = tag.next;
    const length = wire === 1 ? 8 : wire === 5 ? 4 : null;
    const after = varint(bytes, length === null ? at : 0);
    const start = wire === 2 ? after.next : at;
    const end = length !== null ? at + length : wire === 2 ? start + Number(after.value) : after.next;
    if (end > bytes.length) throw new Error('The message ends too early.');
    yield [id, bytes.subarray(start, end)];
    at = end;
  }
}

function varint(bytes: Buffer, from: number): { value: bigint; next: number } {
  let value = 0n;
  for (let at = from, shift = 0n; ; at++, shift += 7n) {
    const byte = bytes[at];
    if (byte === undefined) throw new Error('A number ends too early.');
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return { value, next: at + 1 };
  }
}

const anyValue: Reader = message(() => ({
  1: { name: 'stringValue', read: text },
  2: { name: 'boolValue', read: flag },
  3: { name: 'intValue', read: number },
  4: { name: 'doubleValue', read: double },
  5: { name: 'arrayValue', read: message(() => ({ 1: { name: 'values', read: anyValue, isMany: true } })) },
}));

const attribute: Field = {
  name: 'attributes',
  read: message(() => ({ 1: { name: 'key', read: text }, 2: { name: 'value', read: anyValue } })),
  isMany: true,
};

const span = message(() => ({
  1: { name: 'traceId', read: hex },
  2: { name: 'spanId', read: hex },
  3: { name: 'traceState', read: text },
  4: { name: 'parentSpanId', read: hex },
  5: { name: 'name', read: text },
  6: { name: 'kind', read: number },
  7: { name: 'startTimeUnixNano', read: fixed },
  8: { name: 'endTimeUnixNano', read: fixed },
  9: attribute,
  11: { name: 'events', read: message(() => ({ 2: { name: 'name', read: text }, 3: attribute })), isMany: true },
  13: {
    name: 'links',
    read: message(() => ({
      1: { name: 'traceId', read: hex },
      2: { name: 'spanId', read: hex },
      4: attribute,
    })),
    isMany: true,
  },
  15: {
    name: 'status',
    read: message(() => ({ 2: { name: 'message', read: text }, 3: { name: 'code', read: number } })),
  },
}));

/** An `ExportTraceServiceRequest`. */
export const decodeTraces: Reader = message(() => ({
  1: {
    name: 'resourceSpans',
    isMany: true,
    read: message(() => ({
      1: { name: 'resource', read: message(() => ({ 1: attribute })) },
      2: {
        name: 'scopeSpans',
        isMany: true,
        read: message(() => ({
          2: { name: 'spans', read: span, isMany: true },
          3: { name: 'schemaUrl', read: text },
        })),
      },
    })),
  },
}));
