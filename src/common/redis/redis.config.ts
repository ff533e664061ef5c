import { RedisUrl } from './redis-address';

/** The Redis that connects the instances. Without it, this process works alone. */
export class RedisConfig {
  /**
   * `redis://host:6379/0`, a server with an optional database number; `redis+sentinel://host:port,host:port/name`, the
   * primary that sentinels know by this name; or `redis+cluster://host:port,host:port`, some nodes of a cluster. With
   * TLS each scheme begins with `rediss`.
   */
  @RedisUrl()
  REDIS_URL: string | null = null;
}
