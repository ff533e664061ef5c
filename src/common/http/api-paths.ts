import { Injectable } from '@nestjs/common';
import type { OtherApi } from '../features/feature-facts';
import { Features } from '../features/features';

/** Decides which paths belong to an API. */
@Injectable()
export class ApiPaths {
  /** Prefixes of the third-party APIs that modules implement. */
  readonly others: readonly string[];
  private readonly pattern: RegExp;
  private readonly othersPattern: RegExp;
  /** The third-party APIs with headers of their own. */
  private readonly withHeaders: readonly { path: RegExp; api: OtherApi }[];

  /** @throws FeatureError for a prefix that two modules declare */
  constructor(features: Features) {
    const apis = features.unique('apis', 'API', ({ prefix }) => prefix);
    this.others = apis.map(({ prefix }) => prefix);
    this.withHeaders = apis
      .filter(
        ({ keyHeader, requestIdHeader, limitHeaders }) =>
          keyHeader !== undefined || requestIdHeader !== undefined || limitHeaders !== undefined,
      )
      .map((api) => ({ path: patternOf([api.prefix]), api }));
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

  /** The headers of the third-party API to which a path, with or without a query, belongs. */
  headersOf(path: string): Pick<OtherApi, 'keyHeader' | 'requestIdHeader' | 'limitHeaders'> {
    return this.withHeaders.find((each) => each.path.test(path))?.api ?? {};
  }

  /** Whether a path, with or without a query, belongs to any version of the API or to a third-party API. */
  includes(path: string): boolean {
    return this.pattern.test(path);
  }
}

function patternOf(prefixes: readonly string[]): RegExp {
  return new RegExp(`^/(?:${prefixes.join('|')})(?:[/?]|$)`, 'i');
}
