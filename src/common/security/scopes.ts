import { Injectable } from '@nestjs/common';
import { Features } from '../features/features';

/**
 * A right that an API key can have, such as `chat:read`. Modules name the scopes of their routes in `@Feature({ scopes
 * })`.
 */
export type Scope = string;

/** The scopes that the modules of the application declare, in their order. */
@Injectable()
export class Scopes {
  readonly all: readonly Scope[];
  /** Scopes that only keys of administrators may have. */
  readonly administrative: readonly Scope[];

  /** @throws FeatureError if two modules declare a scope */
  constructor(features: Features) {
    const scopes = features.scopes();
    this.all = scopes.map(({ name }) => name);
    this.administrative = scopes.filter(({ isAdministrative }) => isAdministrative).map(({ name }) => name);
  }
}
