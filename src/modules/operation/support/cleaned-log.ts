import { withoutSecrets } from '../../../common/security/without-secrets';

/** Members of a line whose text the service chooses. Other text may be a name or content. */
const OWN_TEXTS = new Set(['level', 'time', 'context', 'method', 'code', 'event', 'model', 'trace_id', 'span_id']);

/** Members that name a user. */
const USERS = new Set(['user_id', 'userId', 'owner_id', 'actor_id']);

/** An id that the service chose. Clients may send another one, with any text. */
const OWN_REQUEST_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const ADDRESS_OF_MAIL = /[^\s@<>"'(]+@[^\s@<>"')]+/g;
const ADDRESS_OF_CLIENT = /\b\d{1,3}(?:\.\d{1,3}){3}\b|(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])/gi;

/** Text in quotation marks is a value, such as a name. */
const QUOTED = /"[^"]*"|“[^”]*”|'[^']*'|`[^`]*`/g;

/** A frame of a stack. The lines before the first one are the message, which may repeat a value. */
const FRAME = /^\s+at .*$/gm;

export interface LogCleaner {
  /** The pseudonym of a user. */
  nameOf: (userId: number) => string;
  /** The parts of route patterns that are no parameters. */
  words: ReadonlySet<string>;
}

/** A line of the log without content, names, addresses and keys. Null: it is no JSON. */
export function cleanLine(line: string, cleaner: LogCleaner): string | null {
  try {
    return JSON.stringify(cleanMembers(JSON.parse(line) as Record<string, unknown>, cleaner));
  } catch {
    return null;
  }
}

function cleanMembers(members: Record<string, unknown>, cleaner: LogCleaner): Record<string, unknown> {
  const cleaned: Record<string, unknown> = {};
  const isRequest = typeof members.path === 'string';
  for (const [name, value] of Object.entries(members)) {
    if (USERS.has(name)) {
      cleaned.user = typeof value === 'number' ? cleaner.nameOf(value) : null;
    } else if (name === 'path' && isRequest) {
      cleaned.path = cleanPath(String(value), cleaner.words);
    } else if (name === 'msg') {
      // The message of a request is its method, path and status.
      cleaned.msg = isRequest ? undefined : cleanText(String(value));
    } else if (name === 'err' || name === 'error') {
      cleaned[name] = cleanError(value);
    } else if (typeof value === 'number' || typeof value === 'boolean' || value === null) {
      cleaned[name] = value;
    } else if (typeof value === 'string' && (OWN_TEXTS.has(name) || isOwnId(name, value))) {
      cleaned[name] = name === 'time' ? value : cleanText(value);
    }
  }
  return cleaned;
}

function isOwnId(name: string, value: string): boolean {
  return name === 'request_id' && OWN_REQUEST_ID.test(value);
}

/** The message of an error is text of a database, a provider or a person. Its type and its place are the service's. */
function cleanError(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) {
    return undefined;
  }
  const { type, code, stack, cause } = error as Record<string, unknown>;
  return {
    ...(typeof type === 'string' && { type: cleanText(type) }),
    ...(typeof code === 'string' && { code: cleanText(code) }),
    ...(typeof stack === 'string' && { stack: (stack.match(FRAME) ?? []).join('\n') }),
    ...(cause !== undefined && { cause: cleanError(cause) }),
  };
}

/** Ids stay; other values in the path may be names. */
function cleanPath(path: string, words: ReadonlySet<string>): string {
  return path
    .split('/')
    .map((part) => (part === '' || words.has(part) || /^\d{1,19}$/.test(part) ? part : '*'))
    .join('/');
}

function cleanText(text: string): string {
  return withoutSecrets(text)
    .replace(ADDRESS_OF_MAIL, '[email]')
    .replace(ADDRESS_OF_CLIENT, '[address]')
    .replace(QUOTED, '[value]');
}

/** Labels of metrics whose values the service chooses, or that name a model. */
const OWN_LABELS = new Set([
  'method',
  'route',
  'status',
  'le',
  'quantile',
  'code',
  'outcome',
  'reason',
  'kind',
  'type',
  'space',
  'stage',
  'action',
  'consequence',
  'model',
  'version',
  'commit',
  'node',
  'budget',
  'mode',
]);

/** Metrics without the names of providers, servers, tools and guards: each name has a number instead. */
export function cleanMetrics(text: string): string {
  const numbers = new Map<string, string>();
  const numberOf = (name: string): string => {
    const known = numbers.get(name) ?? `#${numbers.size + 1}`;
    numbers.set(name, known);
    return known;
  };
  return text
    .split('\n')
    .map((line) =>
      line.startsWith('#')
        ? line
        : line.replace(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g, (whole, label: string, value: string) =>
            OWN_LABELS.has(label) ? whole : `${label}="${numberOf(value)}"`,
          ),
    )
    .join('\n');
}
