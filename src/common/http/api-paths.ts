import { Injectable } from '@nestjs/common';
import { Features } from '../features/features';
import { API_PREFIX } from './api-prefix';

/** Which paths belong to an API. */
@Injectable()
export class ApiPaths {
  /** Prefixes of the APIs of others that modules speak. */
  readonly others: readonly string[];
  private readonly pattern: RegExp;

  /** @throws FeatureError for a prefix that two modules declare */
  constructor(features: Features) {
    this.others = features.unique('apis', 'API', ({ prefix }) => prefix).map(({ prefix }) => prefix);
    this.pattern = new RegExp(`^/(?:${['api', ...this.others].join('|')})(?:[/?]|$)`, 'i');
  }

  /** Prefixes of all APIs, that of the service first. */
  get prefixes(): string[] {
    return [API_PREFIX, ...this.others];
  }

  /** Whether a path, with or without a query, belongs to any version of the API or to one of the other APIs. */
  includes(path: string): boolean {
    return this.pattern.test(path);
  }
}
