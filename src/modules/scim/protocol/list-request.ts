import type SCIMMY from 'scimmy';
import { ScimRequestError } from '../scim.errors';
import { checked } from './scim-faults';
import { scimmy } from './scimmy';

type Filter = InstanceType<typeof SCIMMY.Types.Filter>;

/** Most resources in one response. */
export const MOST_RESULTS = 200;

const USUAL_RESULTS = 100;

/** Longest filter, in characters, because parsing time grows with the length. */
const LONGEST_TEXT = 2_000;

/** Attributes with several values, each of which has a `value`. */
const LISTS = ['members', 'emails', 'groups'];

const ALWAYS_SHOWN = 'schemas';

/** The query of a list. */
export interface ListRequest {
  /** One of them must match; empty: all resources. */
  alternatives: Alternative[];
  /** From 1. */
  startIndex: number;
  count: number;
  shown: Shown;
}

/** An attribute that equals a text, by which the resource is found, and the rest of the condition. */
export interface Alternative {
  /** In lower case, such as `username`. */
  attribute: string;
  value: string;
  rest: Filter | null;
}

/** The attributes in a response; null: all. */
export type Shown = Filter | null;

/**
 * Parses the query of a list.
 *
 * @param keys lower-case attributes by which resources are found
 * @throws ScimRequestError for a filter that begins with none of the attributes
 */
export function listRequest(query: Record<string, unknown>, keys: readonly string[]): ListRequest {
  const { filter } = query;
  const count = numberOf(query.count, USUAL_RESULTS);
  return {
    alternatives: filter === undefined ? [] : alternativesOf(textOf(filter, 'filter'), keys),
    startIndex: Math.max(1, numberOf(query.startIndex, 1)),
    count: Math.min(Math.max(0, count), MOST_RESULTS),
    shown: shownOf(query),
  };
}

/** Whether a resource that was found by the attribute meets the rest of the condition. @throws ScimRequestError */
export function matches({ rest }: Alternative, view: object): boolean {
  return rest === null || checked(() => rest.match([view]).length > 0);
}

/** @throws ScimRequestError */
export function shownOf({ attributes, excludedAttributes }: Record<string, unknown>): Shown {
  const shown = namesIn(attributes, 'attributes');
  const hidden = namesIn(excludedAttributes, 'excludedAttributes').filter(isOptional);
  const wanted = {
    ...(shown.length > 0 && { attributes: [...shown.filter(isOptional), ALWAYS_SHOWN].join() }),
    ...(hidden.length > 0 && { excludedAttributes: hidden.join() }),
  };
  return checked(() => new scimmy.Resources.User(wanted as never).attributes ?? null);
}

function namesIn(value: unknown, parameter: string): string[] {
  const names = value === undefined ? [] : textOf(value, parameter).split(',');
  return names.map((name) => name.trim()).filter((name) => name !== '');
}

/** Every resource has `schemas` (RFC 7643 §3). The library adds `id`, but would leave this one out. */
function isOptional(name: string): boolean {
  return nameOf(name) !== ALWAYS_SHOWN;
}

/** Whether a response includes the attribute, so that excluded ones need not be queried. */
export function isShown(shown: Shown, attribute: string): boolean {
  return shown === null || !shown.expression.split(' and ').includes(`${attribute} np`);
}

function alternativesOf(text: string, keys: readonly string[]): Alternative[] {
  const filter = checked(() => new scimmy.Types.Filter(text));
  return [...filter].map((alternative) => {
    const conditions = Object.entries(alternative as Record<string, unknown>);
    const found = conditions.find(([name, condition]) => keys.includes(nameOf(name)) && isEquality(condition));
    if (!found) {
      throw new ScimRequestError('invalidFilter', `Resources are found by: ${keys.join(', ')}, with eq.`);
    }
    const others = conditions.filter((condition) => condition !== found).map(ofValues);
    const rest = others.length === 0 ? null : checked(() => new scimmy.Types.Filter([Object.fromEntries(others)]));
    return { attribute: nameOf(found[0]), value: String((found[1] as [string, string])[1]), rest };
  });
}

/** A list matches a text if an element has it as `value` (RFC 7644 §3.4.2.2). */
function ofValues([name, condition]: [string, unknown]): [string, unknown] {
  return LISTS.includes(nameOf(name)) && isEquality(condition) ? [name, { value: condition }] : [name, condition];
}

/** The name of an attribute without the prefix of its schema. */
function nameOf(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1).toLowerCase();
}

function isEquality(condition: unknown): boolean {
  return (
    Array.isArray(condition) &&
    condition.length === 2 &&
    String(condition[0]).toLowerCase() === 'eq' &&
    ['string', 'number'].includes(typeof condition[1])
  );
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== 'string' || value.length > LONGEST_TEXT) {
    throw new ScimRequestError('invalidFilter', `${name} is one text of at most ${LONGEST_TEXT} characters.`);
  }
  return value;
}

function numberOf(value: unknown, standard: number): number {
  if (value === undefined) {
    return standard;
  }
  if (typeof value !== 'string' || !/^-?\d{1,9}$/.test(value)) {
    throw new ScimRequestError('invalidValue', 'startIndex and count are whole numbers.');
  }
  return Number(value);
}
