import { Injectable } from '@nestjs/common';
import { Features } from '../features/features';

/** What an API key may be allowed to do, such as `chat:read`. Modules name those of their routes in `@Feature({ scopes })`. */
export type Scope = string;

/** The scopes that the modules of the application declare, in their order. */
@Injectable()
export class Scopes {
  readonly all: readonly Scope[];
  /** Those that only keys of administrators may have. */
  readonly administrative: readonly Scope[];

  /** @throws FeatureError for a scope that two modules declare */
  constructor(features: Features) {
    const scopes = features.scopes();
    this.all = scopes.map(({ name }) => name);
    this.administrative = scopes.filter(({ isAdministrative }) => isAdministrative).map(({ name }) => name);
  }
}
