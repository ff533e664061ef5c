import type { AnyRequest, Service } from './request';
import type { Route } from './route';

type ElementOf<Answer> = Answer extends (infer Element)[]
  ? Element
  : Answer extends { data: (infer Element)[] | { items: (infer Element)[] } }
    ? Element
    : never;

/**
 * `await` returns one page of a list. `for await` iterates over the elements of this page and all later ones, and
 * requests each page only when needed. An element that moves during the iteration may be missing or appear twice.
 */
export type Pages<Answer> = Promise<Answer> & AsyncIterable<ElementOf<Answer>>;

/** A page of any list: the elements, or an object with the elements in `data` or `data.items`. */
type AnyPage = { id?: unknown }[] & {
  data?: unknown[] & { items?: unknown[]; pagination: { page: number; pages: number } };
  has_more?: boolean;
  last_id?: string;
};

/**
 * Messages are iterated from old to new, so the caller must set `after`. Without it, the service returns the last
 * messages.
 *
 * @throws ApiError, ConnectionError on any page
 */
export function readPages(service: Service, route: Route, request: AnyRequest = {}): Promise<unknown> | Pages<unknown> {
  let total = Infinity;
  const read = (query: object | undefined): Promise<unknown> =>
    service.call(route, {
      ...request,
      query,
      onResponse(response) {
        total = Number(response.headers.get('x-total-count') ?? Infinity);
        request.onResponse?.(response);
      },
    });
  const first = read(request.query);
  if (route.pages === 'message' && !('after' in { ...request.query })) return first;
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      let query: { offset?: number } = { ...request.query };
      for (let page = first; ; page = read(query)) {
        const answer = (await page) as AnyPage;
        yield* answer.data?.items ?? answer.data ?? answer;
        const next = nextPage(route, answer, query.offset, total);
        if (!next) return;
        query = { ...query, ...next };
      }
    },
  });
}

/**
 * Returns the query parameters of the next page; undefined or false after the last page.
 *
 * @param offset offset of this page
 * @param total total number of elements, if the service reports it
 */
function nextPage({ pages }: Route, answer: AnyPage, offset = 0, total: number): object | false | undefined {
  switch (pages) {
    case 'page': {
      const { page, pages: last } = answer.data!.pagination;
      return page < last && { page: page + 1 };
    }
    case 'offset': {
      const next = offset + answer.length;
      return answer.length > 0 && next < total && { offset: next };
    }
    case 'message':
      return answer.length > 0 && { after: answer.at(-1)?.id };
    default:
      return answer.has_more && { after: answer.last_id };
  }
}
