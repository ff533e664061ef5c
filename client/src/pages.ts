import type { AnyRequest, Service } from './request';
import type { Route } from './route';

type ElementOf<Answer> = Answer extends (infer Element)[]
  ? Element
  : Answer extends { data: (infer Element)[] | { items: (infer Element)[] } }
    ? Element
    : never;

/**
 * One page of a list where it is awaited. With `for await` it gives the elements of this page and of all later ones, each of
 * which is asked for when the one before is used up: who breaks off reads no further. An element that moves meanwhile may be
 * missed, or come twice.
 */
export type Pages<Answer> = Promise<Answer> & AsyncIterable<ElementOf<Answer>>;

/** A page of any list: elements, or what has them in `data`, or in `data.items`. */
type AnyPage = { id?: unknown }[] & {
  data?: unknown[] & { items?: unknown[]; pagination: { page: number; pages: number } };
  has_more?: boolean;
  last_id?: string;
};

/**
 * Messages are iterated forwards, so from a place that the caller names: without `after` the service gives the last ones.
 *
 * @throws ApiError, ConnectionError, from every page that is read
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
 * What the request for the next page has of its own; nothing after the last one.
 *
 * @param offset of this page
 * @param total how many elements there are in all, as far as the service tells
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
