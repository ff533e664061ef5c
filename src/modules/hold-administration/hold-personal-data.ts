import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database';
import { deleteRows } from '../../database/statements/delete';
import { HoldNotices, LegalHoldCopyEntity, LegalHoldUserEntity } from '../hold/hold.api';
import { PersonalDataRegistry } from '../user/user.api';

/** The personal data of legal holds: that a user is covered. Users export only holds of which they were informed. */
@Injectable()
export class HoldPersonalData {
  constructor(
    private readonly database: Database,
    private readonly notices: HoldNotices,
    registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'legal_holds',
      entities: [LegalHoldUserEntity, LegalHoldCopyEntity],
      rows: (userId) => this.rows(userId),
      erase: async (userId) => {
        await registry.delete(LegalHoldCopyEntity, userId);
        await this.database.write((manager) => deleteRows(manager, LegalHoldUserEntity, { userId, isActive: false }));
      },
    });
  }

  private async *rows(userId: number): AsyncGenerator<object> {
    for (const { id, scope, since, until } of await this.notices.all(userId)) {
      yield { id, scope, since: since.toISOString(), until: until?.toISOString() ?? null };
    }
  }
}
