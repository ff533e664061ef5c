import type { ItemListDto } from '../../../src/modules/openai/conversations/item-list';
import type { ResponseResource } from '../../../src/modules/openai/responses/wire/response-resource';
import { type Answer, call, type CallOptions } from '../http';
import { checkItem, checkResponse, readEvents, type ResponseEvent } from './check';

/** A client of the OpenAI-compatible API. Answers are checked against the standard. */
export class ResponsesClient {
  constructor(
    readonly origin: string,
    readonly token: string,
    readonly model: string,
  ) {}

  /** @param path below `/openai/v1` */
  request<Body = unknown>(path: string, options: CallOptions = {}): Promise<Answer<Body>> {
    return call<Body>(`${this.origin}/openai/v1${path}`, { token: this.token, ...options });
  }

  post<Body = ResponseResource>(body: object, headers: Record<string, string> = {}): Promise<Answer<Body>> {
    return this.request('/responses', { body: { model: this.model, ...body }, headers });
  }

  async create(body: object): Promise<ResponseResource> {
    return ok(await this.post(body));
  }

  /** All events of a new response. */
  async stream(body: object): Promise<ResponseEvent[]> {
    const answer = await this.request('/responses', { body: { model: this.model, stream: true, ...body } });
    return eventsOf(answer);
  }

  async get(id: string): Promise<ResponseResource> {
    return ok(await this.request<ResponseResource>(`/responses/${id}`));
  }

  /** Its events after one of them. */
  async join(id: string, startingAfter?: number): Promise<ResponseEvent[]> {
    const query = startingAfter === undefined ? '' : `&starting_after=${startingAfter}`;
    const answer = await this.request(`/responses/${id}?stream=true${query}`);
    return eventsOf(answer, startingAfter === undefined ? 0 : startingAfter + 1);
  }

  async items(path: string): Promise<ItemListDto> {
    const { status, text, body } = await this.request<ItemListDto>(path);
    if (status !== 200) {
      throw new Error(`${path} answered ${status}: ${text}`);
    }
    body.data.forEach(checkItem);
    return body;
  }
}

export function textOf({ output }: Pick<ResponseResource, 'output'>): string {
  return output
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .map((part) => ('text' in part ? part.text : ''))
    .join('');
}

export function lastResponse(events: ResponseEvent[]): ResponseResource {
  return events.at(-1)?.response as ResponseResource;
}

function ok({ status, text, body }: Answer<ResponseResource>): ResponseResource {
  if (status !== 200) {
    throw new Error(`It answered ${status}: ${text}`);
  }
  return checkResponse(body);
}

function eventsOf({ status, headers, text }: Answer, first = 0): ResponseEvent[] {
  if (status !== 200 || headers.get('content-type') !== 'text/event-stream; charset=utf-8') {
    throw new Error(`It answered ${status}: ${text}`);
  }
  return readEvents(text, first);
}
