import { Injectable } from '@nestjs/common';
import { GroupMembership } from './group-membership';

/** For an installation without groups. */
@Injectable()
export class NoGroups extends GroupMembership {
  override existing(): Promise<number[]> {
    return Promise.resolve([]);
  }

  override setGiven(): Promise<void> {
    return Promise.resolve();
  }
}
