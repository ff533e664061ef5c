import { Injectable } from '@nestjs/common';
import { Features } from '../features/features';

/** The kinds of things whose changes the application's modules report to the audit log. */
@Injectable()
export class AuditKinds {
  private readonly personal: ReadonlyMap<string, readonly string[]>;

  /** @throws FeatureError for a kind that two modules define */
  constructor(features: Features) {
    const kinds = features.unique('audits', 'audit of', ({ subject }) => subject);
    this.personal = new Map(kinds.map(({ subject, personal }) => [subject, personal]));
  }

  /**
   * The members of a state that erasure removes. For a kind that no module defines any more, the members of all kinds.
   */
  personalStateOf(subject: string): readonly string[] {
    return this.personal.get(subject) ?? [...this.personal.values()].flat();
  }
}
