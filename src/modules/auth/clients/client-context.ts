import type { PublicRequestContext } from '../../../common/security/request-context';

/** A browser, identified by the value of a cookie. */
export interface Device {
  /** 256 random bits. */
  value: string;
  /** Whether the request had no such cookie, so that the next sign-in sets it. */
  isNew: boolean;
}

/** A request that may sign in to an account or prove something for it. */
export interface ClientContext extends PublicRequestContext {
  /** Null if the response must not change the cookie. */
  readonly device: Device | null;
}
