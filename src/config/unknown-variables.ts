import { closest, distance } from 'fastest-levenshtein';
import { type EnvironmentVariables, isAbsent } from './load-configuration';

/** First words of the service's variables that Node.js, shells and hosts also use for their own. */
const SHARED_WORDS = new Set(['NODE', 'HOST', 'PORT']);

/** Addresses for which hosting services also set the parts, such as REDIS_HOST. */
const HOSTED_ADDRESSES = ['DATABASE_URL', 'REDIS_URL'];

/** Variables of Kubernetes and Docker about other containers: REDIS_SERVICE_HOST, REDIS_PORT_6379_TCP. */
const NEIGHBOUR = /_SERVICE_(HOST|PORT)(_|$)|_PORT(_\d+_(TCP|UDP)(_|$)|$)|_(ENV|NAME)$/;

/** A name counts as misspelt if at most this many letters differ. */
const CLOSE = 3;

/** A variable that the service does not read. */
export interface UnknownVariable {
  name: string;
  /** The variable that was probably meant. */
  meant: string | null;
}

/**
 * Variables whose names look like the service's own but are unknown. Usually they are misspelt, and the service would
 * silently ignore them.
 *
 * @param known the names of all variables of the service
 */
export function unknownVariables(environment: EnvironmentVariables, known: readonly string[]): UnknownVariable[] {
  const names = new Set(known);
  const words = new Set(known.filter((name) => name.includes('_')).map(firstWord));
  return Object.keys(environment)
    .filter((name) => !isAbsent(environment[name]) && !names.has(name))
    .filter((name) => name.includes('_') && words.has(firstWord(name)) && !SHARED_WORDS.has(firstWord(name)))
    .map((name) => ({ name, meant: nearest(name, known) }))
    .filter(({ name, meant }) => meant !== null || !isForeign(name, environment))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** One sentence for the log; null if there are no such variables. */
export function unknownVariablesWarning(unknown: readonly UnknownVariable[]): string | null {
  if (unknown.length === 0) {
    return null;
  }
  const named = unknown.map(({ name, meant }) => (meant === null ? name : `${name} (did you mean ${meant}?)`));
  return `These variables are not known and count for nothing: ${named.join(', ')}. .env.example has those there are.`;
}

function nearest(name: string, known: readonly string[]): string | null {
  const candidate = closest(name, known);
  return distance(name, candidate) <= CLOSE ? candidate : null;
}

function isForeign(name: string, environment: EnvironmentVariables): boolean {
  const isPartOfAddress = HOSTED_ADDRESSES.some(
    (address) => firstWord(address) === firstWord(name) && !isAbsent(environment[address]),
  );
  return isPartOfAddress || NEIGHBOUR.test(name);
}

function firstWord(name: string): string {
  return name.slice(0, name.indexOf('_'));
}
