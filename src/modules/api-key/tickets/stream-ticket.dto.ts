/** Opens one stream without an access token. */
export class StreamTicketDto {
  /**
   * For the query: `GET /chat/{chat_id}/stream?ticket=…`. Valid for one request.
   *
   * @example "eyJhbGciOiJIUzI1NiJ9.eyJjaGF0IjoxfQ.c2ln"
   */
  ticket: string;

  /** When it expires, a minute after it was issued. @example "2026-01-31T09:31:00.000Z" */
  expires_at: string;
}
