import { ValidateBy } from 'class-validator';
import { addressFault, type AddressForm } from '../../config/address';

/** A server in the form that ioredis expects. */
interface Node {
  host: string;
  port: number;
}

interface Login {
  username?: string;
  password?: string;
  isEncrypted: boolean;
}

/** The target of REDIS_URL: one server, the primary that sentinels know by a name, or a cluster. */
export type RedisAddress =
  | { kind: 'server'; url: string }
  | ({ kind: 'sentinel'; sentinels: Node[]; name: string; database: number } & Login)
  | ({ kind: 'cluster'; nodes: Node[] } & Login);

const FORM: AddressForm = {
  schemes: ['redis', 'rediss'],
  description:
    'an address such as redis://user:password@host:6379/0, redis+sentinel://host:26379,host:26379/name or ' +
    'redis+cluster://host:6379,host:6379',
  takesPassword: true,
  path: /^(\/\d{0,4})?$/,
};

const SEVERAL = /^(rediss?)\+(sentinel|cluster):\/\/(?:([^@]*)@)?([^/?#@]*)(?:\/([^/?#]*))?(?:\/(\d{1,4}))?$/i;

const PORTS = { sentinel: 26_379, cluster: 6_379 };

/** REDIS_URL, or absent. One value lists the addresses of several servers, separated by commas. */
export function RedisUrl(): PropertyDecorator {
  return ValidateBy({
    name: 'redis-url',
    validator: {
      validate: (value) => value === null || redisAddressFault(String(value)) === null,
      defaultMessage: (validation) => `$property must be ${redisAddressFault(String(validation?.value))}`,
    },
  });
}

/** The fault of an address, as the end of the sentence "REDIS_URL must be …"; null for a valid one. */
export function redisAddressFault(text: string): string | null {
  if (!/^rediss?\+/i.test(text)) {
    return addressFault(text, FORM);
  }
  const [, , kind, login, hosts, name = ''] = SEVERAL.exec(text) ?? [];
  if (kind === undefined || hosts === undefined) {
    return FORM.description;
  }
  if ((kind.toLowerCase() === 'sentinel') === (name === '')) {
    return `${FORM.description}; sentinels know the primary by a name, which follows the hosts, and a cluster has none`;
  }
  const faults = hosts.split(',').map((host) => addressFault(`redis://${login ? `${login}@` : ''}${host}`, FORM));
  return faults.find((fault) => fault !== null) ?? null;
}

/** @param text an address without a fault */
export function parseRedisAddress(text: string): RedisAddress {
  const [, scheme = '', kind, login, hosts = '', name = '', database = '0'] = SEVERAL.exec(text) ?? [];
  if (kind === undefined) {
    // Normalized, because ioredis recognises only rediss:// in lower case, and would connect to REDISS:// without TLS.
    return { kind: 'server', url: new URL(text).href };
  }
  const several = kind.toLowerCase() as keyof typeof PORTS;
  const nodes = hosts.split(',').map((host) => {
    const { hostname, port } = new URL(`redis://${host}`);
    return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || PORTS[several] };
  });
  const { username, password } = new URL(`redis://${login ? `${login}@` : ''}host`);
  const account = {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    isEncrypted: scheme.toLowerCase() === 'rediss',
  };
  return several === 'sentinel'
    ? { kind: several, sentinels: nodes, name: decodeURIComponent(name), database: Number(database), ...account }
    : { kind: several, nodes, ...account };
}
