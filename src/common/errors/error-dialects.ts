import { Injectable } from '@nestjs/common';
import { Features } from '../features/features';
import { ENVELOPE, type ErrorDialect } from './error-dialect';

/** The error dialects of all APIs that the application implements. */
@Injectable()
export class ErrorDialects {
  private readonly others: readonly [path: RegExp, ErrorDialect][];

  constructor(features: Features) {
    this.others = features
      .all('apis')
      // An API may be below another one, whose prefix is shorter.
      .toSorted((one, other) => other.prefix.length - one.prefix.length)
      .map(({ prefix, errors }): [RegExp, ErrorDialect] => [new RegExp(`^/${prefix}(?:[/?]|$)`, 'i'), errors]);
  }

  get all(): ErrorDialect[] {
    return [ENVELOPE, ...this.others.map(([, dialect]) => dialect)];
  }

  /** The dialect of a path, with or without a query. */
  of(path: string): ErrorDialect {
    return this.others.find(([paths]) => paths.test(path))?.[1] ?? ENVELOPE;
  }
}
