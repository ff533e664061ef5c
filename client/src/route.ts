/** What the client knows of an operation of the service; the generated routes are of this kind. */
export interface Route {
  method: string;
  /** `/api/v1/chat/{chat_id}` */
  path: string;
  /** A `stream` may also come in one piece, and a list in JSON as CSV. */
  answers: 'json' | 'text' | 'file' | 'stream';
  /**
   * By what a list asks for its next page: the number of the `page`, an `offset`, the `message` after which it begins, or
   * the `cursor` that the page before tells.
   */
  pages?: 'page' | 'offset' | 'message' | 'cursor';
  /** Whether it is done once for each `Idempotency-Key`, and to its end though the caller is lost: so it may be repeated. */
  isKeyed?: boolean;
}
