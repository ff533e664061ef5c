import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database';
import { deleteRows } from '../../database/statements/delete';
import { findRows } from '../../database/statements/find';
import { PersonalDataRegistry } from '../user/user.api';
import { toDeviceRequestDto } from './approval/device-approval.dto';
import { DeviceCodeEntity } from './codes/device-code.entity';

/** The personal data of this module: codes that the user looked up. The user module exports the sessions. */
@Injectable()
export class DevicePersonalData {
  constructor(
    private readonly database: Database,
    registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'device_codes',
      entities: [DeviceCodeEntity],
      rows: (userId) => this.rows(userId),
      erase: (userId) =>
        this.database.write(async (manager) => {
          await deleteRows(manager, DeviceCodeEntity, { userId });
        }),
    });
  }

  private async *rows(userId: number): AsyncGenerator<object> {
    for (const code of await findRows(this.database.manager, DeviceCodeEntity, { userId })) {
      yield { id: code.id, ...toDeviceRequestDto(code), decision: code.decision };
    }
  }
}
