const HIDDEN = '[hidden]';

/** A quick check: a text without any of these has no secret, and almost no text has one. */
const SUSPICIOUS =
  /%[0-9a-f]{2}|ck_|whsec_|eyJ|bearer|token|ticket|secret|password|key|\b(?:sk|pk|rk|gsk|xai|hf|nvapi|csk)[-_]|AIza/i;

/** Secrets, recognized by the text before them. */
const SECRETS = [
  // API keys, signing secrets of webhooks, and signed tokens: access tokens, tickets, tokens of payments.
  /(?<=ck_)[0-9a-z]{20,}/gi,
  /(?<=whsec_)[0-9a-z+/=_-]{16,}/gi,
  /(?<=eyJ)[\w-]{6,}(?:\.[\w-]*){0,4}/gi,
  /(?<=bearer[\s+:]{1,8})[^\s,;"'?&]{16,}/gi,
  /(?<=(?:token|ticket|secret|password|api_?key|signature)=)[^&\s"'#]+/gi,
  // Keys of model providers.
  /(?<=\b(?:sk|pk|rk|gsk|xai|hf|nvapi|csk)[-_])[\w-]{16,}/gi,
  /(?<=AIza)[\w-]{20,}/g,
];

const KNOWN_KIND = /^(?:ck_[0-9a-z]{20,}$|whsec_|eyJ)/i;

/**
 * A run of random letters and digits, such as a refresh token, which only its randomness distinguishes from other text.
 */
const LONG_RUN = /[\w-]{20,}/;
const LONG_RUNS = new RegExp(LONG_RUN, 'g');

/**
 * A text from a caller or an error in a form that is safe to log: without keys and tokens that were put in the wrong
 * place, however often they are percent-encoded, in whole or in part.
 */
export function withoutSecrets(text: string): string {
  return SUSPICIOUS.test(text) ? hide(text, (decoded) => placesOf(decoded)) : text;
}

/** The path of a request in a form that is safe to log. Nothing but secrets looks random in a path. */
export function pathWithoutSecrets(path: string): string {
  return SUSPICIOUS.test(path) || LONG_RUN.test(path)
    ? hide(path, (decoded) => [...placesOf(decoded), ...randomPlacesOf(decoded)])
    : path;
}

/** Where a secret begins and ends. */
type Place = [start: number, end: number];

function placesOf(text: string): Place[] {
  return SECRETS.flatMap((secret) => [...text.matchAll(secret)].map(toPlace));
}

/** A run that begins like a key is left to the other patterns, which keep its prefix readable. */
function randomPlacesOf(text: string): Place[] {
  return [...text.matchAll(LONG_RUNS)].filter(([run]) => isRandom(run) && !KNOWN_KIND.test(run)).map(toPlace);
}

function toPlace({ 0: { length }, index }: RegExpExecArray): Place {
  return [index, index + length];
}

/** Hashes and UUIDs have no capitals; names are short, or have few digits. Some long tokens have few digits too. */
function isRandom(run: string): boolean {
  const count = (kind: RegExp): number => run.match(kind)?.length ?? 0;
  const hasAllKinds = (part: string): boolean => /\d/.test(part) && /[a-z]/.test(part) && /[A-Z]/.test(part);
  const isLong = run.length >= 40 && [/[a-z]/g, /[A-Z]/g].every((kind) => count(kind) >= 3);
  const isLongToken = isLong && (run.length >= 60 || count(/\d/g) >= 3);
  return isLongToken || (run.match(/[0-9A-Za-z]{20,}/g) ?? []).some(hasAllKinds);
}

/** @param find returns the places in the decoded text */
function hide(text: string, find: (decoded: string) => Place[]): string {
  const { decoded, starts } = decode(text);
  let shown = '';
  let next = 0;
  for (const [start, end] of find(decoded).sort(([one], [other]) => one - other)) {
    const [from, to] = [starts[start] ?? text.length, starts[end] ?? text.length];
    if (from >= next) {
      shown += text.slice(next, from) + HIDDEN;
    }
    next = Math.max(next, to);
  }
  return shown + text.slice(next);
}

/**
 * The text without percent-encoding, and where each of its characters begins in the original text. A decoded character
 * may be part of another encoded one, so one pass handles any number of encodings.
 */
function decode(text: string): { decoded: string; starts: number[] } {
  const characters: string[] = [];
  const starts: number[] = [];
  for (let index = 0; index < text.length; index++) {
    characters.push(text.charAt(index));
    starts.push(index);
    for (let code = encodedAtEnd(characters); code !== null; code = encodedAtEnd(characters)) {
      characters.splice(-3, 3, String.fromCharCode(code));
      starts.splice(-2);
    }
  }
  return { decoded: characters.join(''), starts };
}

function encodedAtEnd(characters: readonly string[]): number | null {
  const [percent, high, low] = characters.slice(-3);
  return percent === '%' && /^[0-9a-f]{2}$/i.test(`${high}${low}`) ? Number.parseInt(`${high}${low}`, 16) : null;
}
