import { IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import { WholeNumberParameter } from '../../../common/validation/parameters';
import { STREAM_FORMATS, type StreamFormat, UiVersionParameter } from '../reading/reply-query.dto';
import type { UiVersion } from '../reading/ui-version';

/** Where to join a reply. */
export class JoinReplyQueryDto {
  /**
   * How much of the text the client has, in UTF-16 units (the length in JavaScript). With it, a reply that has ended
   * meanwhile is answered too: its rest, and how it ended unless it is complete. Without it, only a running reply is
   * joined, from its beginning.
   */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  offset?: number;

  /**
   * How much of what the model thinks the client has, counted like `offset`: it is told from here on. Without it, what was
   * thought before a reader with an `offset` joined is not told again, though a model may think between its words. Not with
   * `Last-Event-ID`.
   */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  reasoning_offset?: number;

  /** The format of the stream. Default: `sse` if `Accept` prefers it, else `text`. */
  @OptionalField()
  @IsIn(STREAM_FORMATS)
  stream_format?: StreamFormat;

  @UiVersionParameter()
  ui_version?: UiVersion;

  /** From `POST /chat/{chat_id}/stream-ticket`; replaces the header `Authorization`, which `EventSource` cannot send. */
  @OptionalField()
  @MaxLength(1_024)
  @IsString()
  ticket?: string;
}
