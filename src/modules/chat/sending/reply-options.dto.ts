import { IsIn } from 'class-validator';
import { NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { STREAM_FORMATS, type StreamFormat } from '../reply/reading/reply-query.dto';

/** What happens to a reply when its client disconnects. */
export const ON_DISCONNECT = ['continue', 'cancel'] as const;

export type OnDisconnect = (typeof ON_DISCONNECT)[number];

/** How the reply is wanted; all fields are optional. */
export class ReplyOptionsDto extends LanguageBodyDto {
  /** When the client disconnects: `continue` writes and stores the reply; `cancel` stops it. */
  @OptionalField()
  @IsIn(ON_DISCONNECT)
  on_disconnect?: OnDisconnect;

  /** Same as the query parameter, for clients that can only set the body. */
  @NullableField()
  @IsIn(STREAM_FORMATS)
  stream_format?: StreamFormat | null;
}
