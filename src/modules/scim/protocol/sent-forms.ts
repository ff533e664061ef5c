import { isForgotten, plainPath, type ResourceAttributes } from './resource-attributes';

/* Handles requests of directories that deviate from the standards. */

/** Entra writes booleans as text. */
const TRUTHS = new Set(['active', 'primary']);

const PATCH_OPERATIONS = 'operations';

const VERBS = new Set(['add', 'remove', 'replace']);

/** Attributes with several values. */
const LISTS = new Set(['emails', 'members']);

interface Operation {
  op?: unknown;
  path?: unknown;
  value?: unknown;
}

/** A body with booleans instead of the texts `True` and `False`. */
export function withTruths(body: unknown): unknown {
  if (Array.isArray(body)) {
    return body.map(withTruths);
  }
  return typeof body === 'object' && body !== null
    ? Object.fromEntries(
        Object.entries(body).map(([name, value]) => [name, isTruth(name) ? truthOf(value) : withTruths(value)]),
      )
    : body;
}

/**
 * A patch in the form of the library: with booleans, with `operations` under their standard name, with plain paths,
 * without ignored members; members to remove are identified by id only.
 *
 * @returns null if it refers to no stored attribute
 */
export function asPatch(body: unknown, attributes: ResourceAttributes): object | null {
  const sent = Object.entries(withTruths(body) ?? {});
  const isList = ([name]: [string, unknown]): boolean => name.toLowerCase() === PATCH_OPERATIONS;
  const all: unknown = sent.find(isList)?.[1];
  if (!Array.isArray(all)) {
    return Object.fromEntries(sent);
  }
  const operations = all.flatMap((one: unknown) => (isObject(one) ? operationsOf(one, attributes) : [one]));
  const isForgottenWhole = all.length > 0 && operations.length === 0;
  const others = sent.filter((one) => !isList(one));
  return isForgottenWhole ? null : { ...Object.fromEntries(others), Operations: operations };
}

/** The operations that one operation becomes: none, itself, or several if it changes lists without a path. */
function operationsOf(operation: Operation, attributes: ResourceAttributes): Operation[] {
  const { op, path, value } = operation;
  if (typeof path === 'string') {
    const isLeftOut = isVerb(op) && isForgotten(path, attributes);
    return isLeftOut ? [] : [operationOf({ ...operation, path: plainPath(path, attributes) })];
  }
  if (path !== undefined || !isObject(value) || Object.keys(value).length === 0 || !isVerb(op)) {
    return [operationOf(operation)];
  }
  const all = Object.entries(value)
    .filter(([name]) => !isForgotten(name, attributes))
    .map(([name, one]): [string, unknown] => [plainPath(name, attributes), one]);
  // Without a path, the library appends to a list that the value should replace (RFC 7644 §3.5.2.3).
  const hasPath = ([name, one]: [string, unknown]): boolean =>
    name.includes('[') || (op.toLowerCase() === 'replace' && LISTS.has(name) && one !== null);
  const others = all.filter((one) => !hasPath(one));
  return [
    ...(others.length > 0 ? [operationOf({ op, value: Object.fromEntries(others) })] : []),
    ...all.filter(hasPath).map(([name, one]) => operationOf({ op, path: name, value: one })),
  ];
}

function operationOf({ value, ...operation }: Operation): Operation {
  const { path, op } = operation;
  if (typeof path === 'string' && isTruth(lastOf(path))) {
    return { ...operation, value: truthOf(value) };
  }
  const isRemoval = typeof op === 'string' && op.toLowerCase() === 'remove';
  if (isRemoval && Array.isArray(value)) {
    return {
      ...operation,
      value: value.map((one) => (isObject(one) && 'value' in one ? { value: one.value } : (one as unknown))),
    };
  }
  return value === undefined ? operation : { ...operation, value };
}

/**
 * A patch of an element that does not exist yet, such as `emails[type eq "work"].value`. It adds the element, as Entra
 * expects.
 *
 * @param hasElement whether the resource has an element of the attribute with this value of the sub-attribute
 */
export function withNewElements(
  patch: object,
  hasElement: (attribute: string, name: string, value: string) => boolean,
): object {
  const { Operations: operations } = patch as { Operations?: unknown };
  if (!Array.isArray(operations)) {
    return patch;
  }
  const added = operations.map((operation: unknown) => {
    const { op, path, value } = (isObject(operation) ? operation : {}) as Operation;
    const [, attribute, name, wanted, part] =
      /^(\w+)\[(\w+) eq "([^"]{1,255})"\]\.(\w+)$/i.exec(typeof path === 'string' ? path : '') ?? [];
    const isWritten = typeof op === 'string' && ['add', 'replace'].includes(op.toLowerCase());
    if (!isWritten || attribute === undefined || name === undefined || wanted === undefined || part === undefined) {
      return operation;
    }
    return hasElement(attribute, name, wanted)
      ? operation
      : { op: 'add', path: attribute, value: [{ [name]: wanted, [part]: value }] };
  });
  return { ...patch, Operations: added };
}

function isVerb(op: unknown): op is string {
  return typeof op === 'string' && VERBS.has(op.toLowerCase());
}

function isTruth(name: string): boolean {
  return TRUTHS.has(name.toLowerCase());
}

function truthOf(value: unknown): unknown {
  const text = typeof value === 'string' ? value.toLowerCase() : value;
  return text === 'true' || (text === 'false' ? false : value);
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
