import { IsBoolean, IsIn } from 'class-validator';
import { OptionalField } from '../../../common/validation/fields';
import { SwitchParameter } from '../../../common/validation/parameters';

/** `text`: plain text with a trailer; `sse`: server-sent events; `ui_message`: the AI SDK's UI message stream. */
export const STREAM_FORMATS = ['text', 'sse', 'ui_message'] as const;

export type StreamFormat = (typeof STREAM_FORMATS)[number];

/** How a reply is wanted. */
export class ReplyQueryDto {
  /** Whether the reply is streamed; otherwise the answer comes when it is complete. Default: false. */
  @OptionalField()
  @SwitchParameter()
  @IsBoolean()
  stream?: boolean;

  /** The format of the stream; naming one asks for a stream. Default: `sse` if `Accept` prefers it, else `text`. */
  @OptionalField()
  @IsIn(STREAM_FORMATS)
  stream_format?: StreamFormat;
}
