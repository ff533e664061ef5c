import { Injectable } from '@nestjs/common';
import { HoldNotices, LegalHoldStore } from '../hold/hold.api';
import { PersonalDataRegistry } from '../user/user.api';

/** The personal data of legal holds: that a user is covered. Users export only holds of which they were informed. */
@Injectable()
export class HoldPersonalData {
  constructor(
    private readonly notices: HoldNotices,
    store: LegalHoldStore,
    registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'legal_holds',
      entities: store.personalTables,
      rows: (userId) => this.rows(userId),
      erase: async (userId) => {
        await registry.writeUnlessHeld(userId, (manager) => store.forgetUser(manager, userId));
      },
    });
  }

  private async *rows(userId: number): AsyncGenerator<object> {
    for (const { id, scope, since, until } of await this.notices.all(userId)) {
      yield { id, scope, since: since.toISOString(), until: until?.toISOString() ?? null };
    }
  }
}
