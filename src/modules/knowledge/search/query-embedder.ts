import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/security/principal';

/** The vectors of queries, in their order. */
export interface QueryVectors {
  /** The generation of the passages' vectors that they are compared with. */
  generation: number;
  vectors: Float32Array[];
}

/**
 * Embeds queries for their user, who pays. Null: there is no embedding model. It fails if the budget or the quota is
 * used up, or the provider is unavailable.
 */
export type EmbedQueries = (
  caller: Pick<Principal, 'userId' | 'apiKeyId'>,
  queries: readonly string[],
) => Promise<QueryVectors | null>;

/** How queries are embedded. The part with the embedding model sets it. */
@Injectable()
export class QueryEmbedder {
  private run: EmbedQueries = () => Promise.resolve(null);

  /** Call it in a constructor. */
  use(run: EmbedQueries): void {
    this.run = run;
  }

  embed(caller: Pick<Principal, 'userId' | 'apiKeyId'>, queries: readonly string[]): Promise<QueryVectors | null> {
    return this.run(caller, queries);
  }
}
