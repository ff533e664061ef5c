import { LRUCache } from 'lru-cache';

/** Most cached queries of each class. */
const MOST_QUERIES = 100;

/** Longest cached query, in characters of JSON. */
const LONGEST_QUERY = 100;

type Dto = Record<string, unknown>;

/**
 * Caches the DTOs of valid queries. The same query always results in the same DTO, and clients send few different ones.
 * Building and validating one takes longer than all other work on a small request.
 */
export class CheckedQueries {
  private readonly dtos = new WeakMap<object, LRUCache<string, Dto>>();

  /** A new copy of the DTO; undefined if the query is not cached. @param query as JSON */
  find(type: object, query: string): object | undefined {
    const known = this.dtos.get(type)?.get(query);
    return known && copyOf(known);
  }

  /** @param dto the validated DTO; it is cached if a flat copy of it is a complete copy */
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
