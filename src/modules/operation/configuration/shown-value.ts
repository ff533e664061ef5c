import { isSecretVariable } from '../../../config/variables';

const HIDDEN = '***';

/** An address with everything that may contain a secret as its own part. A password may contain `@`. */
const ADDRESS = /^([a-z][a-z0-9+.-]*:\/\/)(?:(.*)@)?([^/?#]*[^?#]*)(\?[^#]*)?(#.*)?$/is;

/** The value of a variable in a form that everyone may see who operates the service. Null: a secret, or no value. */
export function shownValue(name: string, value: string | null): string | null {
  if (value === null || isSecretVariable(name)) {
    return null;
  }
  if (name.endsWith('_HEADERS')) {
    return value
      .split(',')
      .map((header) => header.split('=')[0]?.trim())
      .join(',');
  }
  // Hosts of a Redis cluster are separated by commas too, so only another scheme begins another address.
  return value
    .split(/,(?=\s*[a-z][a-z0-9+.-]*:\/\/)/i)
    .map(withoutCredentials)
    .join(',');
}

function withoutCredentials(text: string): string {
  const [, scheme, credentials, rest = '', query, fragment] = ADDRESS.exec(text.trim()) ?? [];
  if (scheme === undefined) {
    return text;
  }
  const masked = credentials === undefined ? '' : `${credentials.includes(':') ? `${HIDDEN}:` : ''}${HIDDEN}@`;
  return `${scheme}${masked}${rest}${query === undefined ? '' : `?${HIDDEN}`}${fragment === undefined ? '' : `#${HIDDEN}`}`;
}
