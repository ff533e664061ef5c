import { Injectable } from '@nestjs/common';

/** How long readers wait for a sign of life. In one place, so that tests can be patient for less. */
@Injectable()
export class ReplyTiming {
  /** The head of a stream goes out so many milliseconds after its request, even while the model is silent. */
  head = 2_000;
  /** Milliseconds between two pings. */
  ping = 10_000;
}
