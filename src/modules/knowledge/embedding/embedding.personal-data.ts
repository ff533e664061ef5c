import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { updateRows } from '../../../database/statements/update';
import { PersonalDataRegistry } from '../../user/user.api';
import { IngestionTurnEntity } from '../ingestion/ingestion-turn.entity';
import { EmbeddingGenerationEntity, EmbeddingQueryEntity } from './embedding.entity';
import { EmbeddingSettings } from './embedding-settings';

/**
 * Erases the vectors of a user's queries, and the user's turn. They are not exported. The service pays for what an
 * administrator has begun.
 */
@Injectable()
export class EmbeddingPersonalData {
  constructor(
    private readonly database: Database,
    private readonly settings: EmbeddingSettings,
    registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'knowledge',
      entities: [EmbeddingQueryEntity, EmbeddingGenerationEntity, IngestionTurnEntity],
      rows: () => nothing(),
      erase: (userId) => this.erase(userId),
    });
  }

  private erase(userId: number): Promise<void> {
    return this.database.write(async (manager) => {
      await deleteRows(manager, EmbeddingQueryEntity, { userId });
      await deleteRows(manager, IngestionTurnEntity, { ownerId: userId });
      if ((await updateRows(manager, EmbeddingGenerationEntity, { payerId: null }, { payerId: userId })) > 0) {
        this.settings.changed();
      }
    });
  }
}

async function* nothing(): AsyncGenerator<object> {
  // Vectors and turns say nothing that the user could read.
}
