import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn } from 'class-validator';
import { OptionalField } from '../../../common/validation/fields';
import { SwitchParameter, WholeNumberParameter } from '../../../common/validation/parameters';
import { DEFAULT_UI_VERSION, UI_VERSIONS, type UiVersion } from './ui-version';

/** `text`: plain text with a trailer; `sse`: server-sent events; `ui_message`: the AI SDK's UI message stream. */
export const STREAM_FORMATS = ['text', 'sse', 'ui_message'] as const;

export type StreamFormat = (typeof STREAM_FORMATS)[number];

const UI_VERSION =
  'Major version of the AI SDK that reads `stream_format=ui_message`. Versions 6 and 7 request approval ' +
  'of tool calls with their own parts, version 5 with `data-action`.';

/** The AI SDK version as a query parameter. */
export const UiVersionParameter = (): PropertyDecorator =>
  applyDecorators(
    OptionalField(),
    WholeNumberParameter(),
    IsIn(UI_VERSIONS),
    ApiProperty({
      type: 'integer',
      enum: UI_VERSIONS,
      default: DEFAULT_UI_VERSION,
      required: false,
      description: UI_VERSION,
    }),
  );

/** The AI SDK version as a body field, for clients that can only set the body. */
export const UiVersionField = (): PropertyDecorator =>
  applyDecorators(
    OptionalField(),
    IsIn(UI_VERSIONS),
    ApiProperty({ type: 'integer', enum: UI_VERSIONS, required: false, description: UI_VERSION, example: 6 }),
  );

/** Options for the response with a reply. */
export class ReplyQueryDto {
  /** Whether the reply is streamed. Otherwise the response is sent once the reply is complete. Default: false. */
  @OptionalField()
  @SwitchParameter()
  @IsBoolean()
  stream?: boolean;

  /** The stream format; it implies a stream. Default: `sse` if `Accept` prefers it, else `text`. */
  @OptionalField()
  @IsIn(STREAM_FORMATS)
  stream_format?: StreamFormat;

  @UiVersionParameter()
  ui_version?: UiVersion;
}
