import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { PersonalDataRegistry } from '../../user/user.api';
import { IngestionTurnEntity } from '../ingestion/ingestion-turn.entity';
import { EmbeddingDayEntity, EmbeddingQueryEntity } from './embedding.entity';

/** Erases the vectors of a user's queries, and the counters of a user. They are not exported. */
@Injectable()
export class EmbeddingPersonalData {
  constructor(
    private readonly database: Database,
    registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'knowledge',
      entities: [EmbeddingQueryEntity, EmbeddingDayEntity, IngestionTurnEntity],
      rows: () => nothing(),
      erase: (userId) => this.erase(userId),
    });
  }

  private erase(userId: number): Promise<void> {
    return this.database.write(async (manager) => {
      await deleteRows(manager, EmbeddingQueryEntity, { userId });
      await deleteRows(manager, EmbeddingDayEntity, { userId });
      await deleteRows(manager, IngestionTurnEntity, { ownerId: userId });
    });
  }
}

async function* nothing(): AsyncGenerator<object> {
  // Vectors and counters say nothing that the user could read.
}
