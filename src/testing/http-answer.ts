/** A response with its body read; `body` is parsed if it is JSON. */
export interface Answer<Body = unknown> {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}
