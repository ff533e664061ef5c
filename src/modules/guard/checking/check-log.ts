import type { GuardCheck } from './guard-check';

/** Collects checks until the reply that they belong to exists. Guards that only report may end later. */
export class CheckLog {
  private checks: GuardCheck[] = [];

  readonly record = (check: GuardCheck): void => void this.checks.push(check);

  /** Moves all checks to the beginning of a list, and later ones to its end. */
  moveTo(list: GuardCheck[]): void {
    list.unshift(...this.checks);
    this.checks = list;
  }
}
