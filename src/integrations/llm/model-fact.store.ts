import { Injectable, Logger } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { Database } from '../../database/database';
import { ModelFactEntity } from './model-fact.entity';

/** What was learned of models, as rows. Nobody waits for them: what is lost is learned again by one request. */
@Injectable()
export class ModelFactStore {
  private readonly logger = new Logger(ModelFactStore.name);

  constructor(private readonly database: Database) {}

  /** Hands over all rows once the database is ready; those learned before `since` are deleted. */
  whenLoaded(since: () => Date, take: (facts: ModelFactEntity[]) => void): void {
    this.database.onReady(async () => {
      await this.database.write((manager) => manager.delete(ModelFactEntity, { learnedAt: LessThan(since()) }));
      take(await this.database.repository(ModelFactEntity).find());
    });
  }

  save(facts: Omit<ModelFactEntity, 'id'>[]): void {
    this.inBackground(() =>
      this.database.write((manager) =>
        manager.upsert(ModelFactEntity, facts, ['provider', 'endpoint', 'model', 'parameter']),
      ),
    );
  }

  deleteOf(provider: string): void {
    this.inBackground(() => this.database.write((manager) => manager.delete(ModelFactEntity, { provider })));
  }

  private inBackground(work: () => Promise<unknown>): void {
    work().catch((error: unknown) => {
      this.logger.warn({ error }, 'What was learned of a model could not be stored; it will be learned again.');
    });
  }
}
