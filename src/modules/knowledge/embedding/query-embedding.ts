import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { In, LessThanOrEqual } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { Principal } from '../../../common/security/principal';
import { MINUTE_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { upsertRows } from '../../../database/statements/insert';
import { TokenCounter } from '../../../integrations/llm/counting/token-counter';
import type { EmbeddingResult } from '../../../integrations/llm/port/embedding';
import { QueryEmbedder, type QueryVectors } from '../search/query-embedder';
import { EmbeddingQueryEntity } from './embedding.entity';
import { EmbeddingRequests } from './embedding-requests';
import { EmbeddingSettings, type Generation } from './embedding-settings';
import { unitVector, vectorBytes, vectorOf } from './vectors';

const KEPT_MILLISECONDS = 10 * MINUTE_MILLISECONDS;

/** A search waits so long for its vectors. */
const QUERY_MILLISECONDS = 5_000;

/** Embeds the queries of searches. A user does not pay for the same query again within ten minutes. */
@Injectable()
export class QueryEmbedding {
  constructor(
    private readonly database: Database,
    private readonly settings: EmbeddingSettings,
    private readonly requests: EmbeddingRequests,
    private readonly counter: TokenCounter,
    private readonly clock: Clock,
    embedder: QueryEmbedder,
  ) {
    embedder.use((caller, queries) => this.embed(caller, queries));
  }

  private async embed(
    caller: Pick<Principal, 'userId' | 'apiKeyId'>,
    queries: readonly string[],
  ): Promise<QueryVectors | null> {
    const generation = await this.settings.current();
    if (generation === null) {
      return null;
    }
    const hashes = queries.map((query) => createHash('sha256').update(query).digest('hex'));
    const known = await this.kept(caller.userId, generation, hashes);
    const missing = [...new Set(queries.filter((_query, index) => !known.has(hashes[index] ?? '')))];
    if (missing.length > 0) {
      const vectors = await this.request(caller, generation, missing);
      missing.forEach((query, index) => known.set(hashes[queries.indexOf(query)] ?? '', vectors[index]!));
    }
    return { generation: generation.id, vectors: hashes.map((hash) => known.get(hash)!) };
  }

  private async kept(
    userId: number,
    { id: generation }: Generation,
    hashes: string[],
  ): Promise<Map<string, Float32Array>> {
    const now = this.clock.now();
    const rows = await findRows(this.database.manager, EmbeddingQueryEntity, { userId, generation, hash: In(hashes) });
    return new Map(rows.filter(({ expiresAt }) => expiresAt > now).map(({ hash, vector }) => [hash, vectorOf(vector)]));
  }

  private async request(
    caller: Pick<Principal, 'userId' | 'apiKeyId'>,
    generation: Generation,
    texts: string[],
  ): Promise<Float32Array[]> {
    const { userId, apiKeyId } = caller;
    const tokens = (await this.counter.countAll(texts)).reduce((sum, count) => sum + count, 0);
    const { dimensions, length } = generation;
    const request = { input: texts, dimensions, length };
    return this.requests.send(
      { payer: { userId, apiKeyId }, model: generation, request, tokens },
      {
        succeed: async (manager, { vectors }: EmbeddingResult) => {
          const units = vectors.map(unitVector);
          const now = this.clock.now();
          const expiresAt = new Date(now.getTime() + KEPT_MILLISECONDS);
          const rows = texts.map((text, index) => ({
            ...{ userId, generation: generation.id, expiresAt, vector: vectorBytes(units[index]!) },
            hash: createHash('sha256').update(text).digest('hex'),
          }));
          await deleteRows(manager, EmbeddingQueryEntity, { expiresAt: LessThanOrEqual(now) });
          await upsertRows(
            manager,
            EmbeddingQueryEntity,
            rows,
            ['userId', 'generation', 'hash'],
            ['vector', 'expiresAt'],
          );
          return units;
        },
      },
      AbortSignal.timeout(QUERY_MILLISECONDS),
    );
  }
}
