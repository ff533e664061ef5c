import { IsIn } from 'class-validator';
import { NullableField, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { STREAM_FORMATS, type StreamFormat } from '../reply/reading/reply-query.dto';

/** What becomes of a reply when its client goes away. */
export const ON_DISCONNECT = ['continue', 'cancel'] as const;

export type OnDisconnect = (typeof ON_DISCONNECT)[number];

/** How a reply is wanted; every field may be absent. */
export class ReplyOptionsDto extends LanguageBodyDto {
  /** `continue`: the reply is written and stored without its client; `cancel`: it ends with the client. */
  @OptionalField()
  @IsIn(ON_DISCONNECT)
  on_disconnect?: OnDisconnect;

  /** As the query parameter of this name, for clients that can only choose the body. */
  @NullableField()
  @IsIn(STREAM_FORMATS)
  stream_format?: StreamFormat | null;
}
