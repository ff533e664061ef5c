/* Rules for requests to servers that administrators name. */

export const MOST_HEADERS = 20;

const LONGEST_VALUE = 4_096;

/** A token (RFC 9110 section 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** Without line breaks, which would allow a value to add headers. */
const HEADER_VALUE = /^[\x20-\x7e]*$/;

/** Headers that the connection, the SDK or a browser sets. */
const OWN_HEADERS = new Set([
  'host',
  'cookie',
  'connection',
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'accept',
  'accept-encoding',
  'te',
  'trailer',
  'upgrade',
  'keep-alive',
  'expect',
  'proxy-authorization',
  'proxy-connection',
  'mcp-session-id',
  'mcp-protocol-version',
  'user-agent',
]);

/** Whether the text is a server URL: http or https, without credentials and fragment. */
export function isServerUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !/^https?:\/\/[^/]/i.test(value) || /[\s\p{Cc}\\#]/u.test(value)) {
    return false;
  }
  if (!URL.canParse(value)) {
    return false;
  }
  const { username, password } = new URL(value);
  return username === '' && password === '';
}

export function areHeaders(value: unknown): boolean {
  if (!isObject(value)) {
    return false;
  }
  const names = Object.keys(value).map((name) => name.toLowerCase());
  return (
    names.length <= MOST_HEADERS &&
    new Set(names).size === names.length &&
    Object.entries(value).every(
      ([name, text]) =>
        HEADER_NAME.test(name) &&
        !OWN_HEADERS.has(name.toLowerCase()) &&
        typeof text === 'string' &&
        text.length <= LONGEST_VALUE &&
        HEADER_VALUE.test(text),
    )
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
