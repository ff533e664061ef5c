import { Injectable } from '@nestjs/common';
import { Features } from '../features/features';

/** Decides which paths belong to an API. */
@Injectable()
export class ApiPaths {
  /** Prefixes of the third-party APIs that modules implement. */
  readonly others: readonly string[];
  private readonly pattern: RegExp;
  private readonly othersPattern: RegExp;

  /** @throws FeatureError for a prefix that two modules declare */
  constructor(features: Features) {
    this.others = features.unique('apis', 'API', ({ prefix }) => prefix).map(({ prefix }) => prefix);
    this.pattern = patternOf(['api', ...this.others]);
    this.othersPattern = patternOf(this.others);
  }

  /**
   * Collapses repeated slashes in the path of an address that belongs to a third-party API, because clients append a
   * slash to their base URL and prepend one to the path. Other addresses stay unchanged.
   */
  withSingleSlashes(address: string): string {
    if (!address.includes('//')) {
      return address;
    }
    const [path = '', ...query] = address.split(/(?=\?)/);
    const single = path.replace(/\/{2,}/g, '/');
    return this.othersPattern.test(single) ? [single, ...query].join('') : address;
  }

  /** Whether a path, with or without a query, belongs to any version of the API or to a third-party API. */
  includes(path: string): boolean {
    return this.pattern.test(path);
  }
}

function patternOf(prefixes: readonly string[]): RegExp {
  return new RegExp(`^/(?:${prefixes.join('|')})(?:[/?]|$)`, 'i');
}
