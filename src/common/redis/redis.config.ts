import { Address } from '../../config/address';

/** The Redis that connects the instances. Without it this process works alone. */
export class RedisConfig {
  /** `redis://` or `rediss://` (TLS) address with an optional database number as its path. */
  @Address({
    schemes: ['redis', 'rediss'],
    description: 'an address such as redis://user:password@host:6379/0',
    takesPassword: true,
    path: /^(\/\d{0,4})?$/,
  })
  REDIS_URL: string | null = null;
}
