import { LRUCache } from 'lru-cache';

/** Queries that are remembered for each class at most. */
const MOST_QUERIES = 100;

/** Longest query that is remembered, in characters of JSON. */
const LONGEST_QUERY = 100;

type Dto = Record<string, unknown>;

/**
 * Remembers the DTOs of queries that kept the rules of their class: the same query always gives the same DTO, and clients
 * send few different ones. To build and check one takes longer than all other work on a small request.
 */
export class CheckedQueries {
  private readonly dtos = new WeakMap<object, LRUCache<string, Dto>>();

  /** A new copy of the DTO; undefined when the query was not checked before. @param query as JSON */
  find(type: object, query: string): object | undefined {
    const known = this.dtos.get(type)?.get(query);
    return known && copyOf(known);
  }

  /** @param dto what came out of the checks; it is remembered when a flat copy of it is a whole copy */
  remember(type: object, query: string, dto: unknown): void {
    if (query.length > LONGEST_QUERY || !isFlat(dto)) {
      return;
    }
    const known = this.dtos.get(type) ?? new LRUCache({ max: MOST_QUERIES });
    this.dtos.set(type, known.set(query, copyOf(dto)));
  }
}

function isFlat(dto: unknown): dto is Dto {
  return typeof dto === 'object' && dto !== null && !Object.values(dto).some((value) => typeof value === 'object');
}

function copyOf(dto: Dto): Dto {
  return Object.assign(Object.create(Object.getPrototypeOf(dto) as object | null) as Dto, dto);
}
