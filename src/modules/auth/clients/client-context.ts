import type { PublicRequestContext } from '../../../common/security/request-context';

/** What a browser is recognized by: the value of a cookie. */
export interface Device {
  /** 256 random bits. */
  value: string;
  /** Whether the request brought no such cookie, so that it gets one with its next sign-in. */
  isNew: boolean;
}

/** A request that may sign in to an account or prove something to it. */
export interface ClientContext extends PublicRequestContext {
  /** Null for a request whose answer must leave the cookie as it is. */
  readonly device: Device | null;
}
