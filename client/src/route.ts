/** What the client knows about an operation of the service. The generated routes have this type. */
export interface Route {
  method: string;
  /** `/api/v1/chat/{chat_id}` */
  path: string;
  /** A `stream` may also be a single response, and a JSON list may also be CSV. */
  answers: 'json' | 'text' | 'file' | 'stream';
  /**
   * How a list selects its next page: a `page` number, an `offset`, the `message` to start after, or a `cursor` from
   * the previous page.
   */
  pages?: 'page' | 'offset' | 'message' | 'cursor';
  /**
   * Whether the service processes the operation once for each `Idempotency-Key`, and to its end even if the caller
   * disconnects. Only then is a retry safe.
   */
  isKeyed?: boolean;
}
