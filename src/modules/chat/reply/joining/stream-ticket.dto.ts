/** Lets one stream be read without an access token. */
export class StreamTicketDto {
  /** Goes into the query: `GET /chat/{chat_id}/stream?ticket=…`. Good for one request. @example "eyJhbGciOiJIUzI1NiJ9.eyJjaGF0IjoxfQ.c2ln" */
  ticket: string;

  /** Until when it must be used: a minute after it was given out. @example "2026-01-31T09:31:00.000Z" */
  expires_at: string;
}
