import { Injectable } from '@nestjs/common';
import { Features } from '../features/features';
import { API_PREFIX } from './api-prefix';

/** Which paths belong to an API. */
@Injectable()
export class ApiPaths {
  /** Prefixes of the APIs of others that modules speak. */
  readonly others: readonly string[];
  private readonly pattern: RegExp;
  private readonly othersPattern: RegExp;

  /** @throws FeatureError for a prefix that two modules declare */
  constructor(features: Features) {
    this.others = features.unique('apis', 'API', ({ prefix }) => prefix).map(({ prefix }) => prefix);
    this.pattern = patternOf(['api', ...this.others]);
    this.othersPattern = patternOf(this.others);
  }

  /** Prefixes of all APIs, that of the service first. */
  get prefixes(): string[] {
    return [API_PREFIX, ...this.others];
  }

  /**
   * An address with each row of slashes in its path as one, if it belongs to one of the other APIs: clients put a slash
   * behind their base URL and before the path. Other addresses stay as they are.
   */
  withSingleSlashes(address: string): string {
    if (!address.includes('//')) {
      return address;
    }
    const [path = '', ...query] = address.split(/(?=\?)/);
    const single = path.replace(/\/{2,}/g, '/');
    return this.othersPattern.test(single) ? [single, ...query].join('') : address;
  }

  /** Whether a path, with or without a query, belongs to any version of the API or to one of the other APIs. */
  includes(path: string): boolean {
    return this.pattern.test(path);
  }
}

function patternOf(prefixes: readonly string[]): RegExp {
  return new RegExp(`^/(?:${prefixes.join('|')})(?:[/?]|$)`, 'i');
}
