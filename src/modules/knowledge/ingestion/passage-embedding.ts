import { Injectable } from '@nestjs/common';
import type { EntryWarning } from '../tables/knowledge-entry.entity';
import type { KnowledgeJobEntity } from '../tables/knowledge-job.entity';

/** Adds the vectors of passages. */
@Injectable()
export class PassageEmbedding {
  embed(
    _job: KnowledgeJobEntity,
    _work: object,
    _signal: AbortSignal,
    _onProgress: () => void,
  ): Promise<EntryWarning | null> {
    return Promise.resolve(null);
  }

  /** Bytes of the vectors of an ingestion. */
  bytesOf(_ingestionId: number): Promise<number> {
    return Promise.resolve(0);
  }
}
