/** What the client knows about an operation of the service. The generated routes have this type. */
export interface Route {
  /** Absent for GET. */
  method?: string;
  /** `/api/v1/chat/{chat_id}` */
  path: string;
  /** Absent for JSON and text, which the content type tells apart. A `stream` may also be a single response. */
  answers?: 'file' | 'stream';
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
