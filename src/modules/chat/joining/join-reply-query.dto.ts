import { IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import { WholeNumberParameter } from '../../../common/validation/parameters';
import { STREAM_FORMATS, type StreamFormat, UiVersionParameter } from '../reading/reply-query.dto';
import type { UiVersion } from '../reading/ui-version';

/** The place from which to join a reply. */
export class JoinReplyQueryDto {
  /**
   * The length of the text that the client has, in UTF-16 code units (the length in JavaScript). With it, an ended
   * reply is returned too: the rest of its text, and its end unless it completed. Without it, only a running reply can
   * be joined, from its start.
   */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  offset?: number;

  /**
   * The length of the reasoning that the client has, counted like `offset`; the stream continues from there. Without
   * it, a client that sends an `offset` gets only new reasoning. Not allowed with `Last-Event-ID`.
   */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  reasoning_offset?: number;

  /** The stream format. Default: `sse` if `Accept` prefers it, else `text`. */
  @OptionalField()
  @IsIn(STREAM_FORMATS)
  stream_format?: StreamFormat;

  @UiVersionParameter()
  ui_version?: UiVersion;

  /**
   * A ticket from `POST /chat/{chat_id}/stream-ticket`. It replaces the header `Authorization`, which `EventSource`
   * cannot send.
   */
  @OptionalField()
  @MaxLength(1_024)
  @IsString()
  ticket?: string;
}
