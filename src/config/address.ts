import { ValidateBy } from 'class-validator';

/** The allowed form of an address in the configuration. */
export interface AddressForm {
  /** Without the colon: `redis`, `rediss`. */
  schemes: string[];
  /** Ends the sentence "DATABASE_URL must be …". */
  description: string;
  /** Whether it may contain a user name and a password. */
  takesPassword: boolean;
  /** The part after the host, percent-decoded. */
  path: RegExp;
  /**
   * Returns the fault of the parameters after `?`, as the end of a sentence. Without this function, parameters are not
   * allowed.
   */
  parametersFault?: (parameters: URLSearchParams) => string | null;
}

const SHAPE_FAULT = 'a part of it is missing or too much';
const ENCODING_FAULT = 'its percent-encoding is wrong (% itself is %25)';
const BARE_CHARACTER = 'a special character of the password is not percent-encoded (# is %23)';
const PORT_FAULT = 'its port must be a number from 1 to 65535';

/**
 * The fault of an address, as the end of the sentence "DATABASE_URL must be …"; null for a valid one. It repeats no
 * part of the address, because a malformed address may have the password anywhere.
 */
export function addressFault(text: string, form: AddressForm): string | null {
  if (!form.schemes.some((scheme) => text.toLowerCase().startsWith(`${scheme}://`))) {
    return form.description;
  }
  const reason = reasonAgainst(text, form);
  return reason === null ? null : `${form.description}; ${reason}`;
}

/** The setting is an address of this form, or absent. */
export function Address(form: AddressForm): PropertyDecorator {
  return ValidateBy({
    name: 'address',
    validator: {
      validate: (value) => value === null || addressFault(String(value), form) === null,
      defaultMessage: (validation) => `$property must be ${addressFault(String(validation?.value), form)}`,
    },
  });
}

function reasonAgainst(text: string, form: AddressForm): string | null {
  const { takesPassword, path, parametersFault } = form;
  if (/[\s\p{Cc}]/u.test(text)) {
    return 'white space has no place in it';
  }
  const shapeFault = takesPassword ? `${SHAPE_FAULT}, or ${BARE_CHARACTER}` : SHAPE_FAULT;
  if (!URL.canParse(text)) {
    return URL.canParse(text.replace(/:\d+(?=[/?#]|$)/, '')) ? PORT_FAULT : shapeFault;
  }
  const { username, password, hostname, port, pathname, search, searchParams, hash } = new URL(text);
  if (!takesPassword && username + password !== '') {
    return 'user name and password have no place in it';
  }
  if (!isHost(hostname)) {
    return 'it must name a host';
  }
  if (port === '0') {
    return PORT_FAULT;
  }
  const decodedPath = decoded(pathname);
  if (decoded(username) === null || decoded(password) === null || decodedPath === null) {
    return ENCODING_FAULT;
  }
  // If a password contains an unencoded #, / or ?, the URL's host ends there, and the @ comes after it.
  const isTorn = hash !== '' || (takesPassword && `${pathname}${search}`.includes('@'));
  if (isTorn || !path.test(decodedPath) || (search !== '' && !parametersFault)) {
    return shapeFault;
  }
  return parametersFault?.(searchParams) ?? null;
}

/** For unknown schemes, URL accepts nearly any text as a host, so the host is checked as in an http address. */
function isHost(hostname: string): boolean {
  return hostname !== '' && !hostname.includes('%') && URL.canParse(`http://${hostname}`);
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
