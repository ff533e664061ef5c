/*
 * What directories send otherwise than the standards say.
 */

/** Entra writes truth values as text. */
const TRUTHS = new Set(['active', 'primary']);

const PATCH_OPERATIONS = 'operations';

interface Operation {
  op?: unknown;
  path?: unknown;
  value?: unknown;
}

/** A body with truth values instead of the texts `True` and `False`. */
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
 * A patch as the library takes it: with truth values; with `operations` under their name; members that are to be removed by their
 * ids alone.
 */
export function asPatch(body: unknown): object {
  const sent = Object.entries(withTruths(body) ?? {});
  const named = sent.map(([name, value]): [string, unknown] =>
    name.toLowerCase() === PATCH_OPERATIONS ? ['Operations', operationsOf(value)] : [name, value],
  );
  return Object.fromEntries(named);
}

function operationsOf(value: unknown): unknown {
  return Array.isArray(value) ? value.map((one) => (isObject(one) ? operationOf(one) : (one as unknown))) : value;
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
 * A patch of an element that is not there yet, such as `emails[type eq "work"].value`: it adds the element, as Entra expects.
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
