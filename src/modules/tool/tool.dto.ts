import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsDefined, IsObject } from 'class-validator';
import { MOST_MEMBERS } from '../../common/http/body/json-scan';
import { AsSent } from '../../common/validation/as-sent.decorator';
import { OptionalField } from '../../common/validation/fields';
import { LanguageBodyDto } from '../../common/validation/language-body.dto';

/** A function that agents can call. */
export class ToolDto {
  /** The name that agents and models use. @example "current_time" */
  name: string;

  /** The module, or the label of the MCP server, that provides the tool. @example "tool" */
  source: string;

  /** The label of the MCP server that provides the tool. Null: a module provides it. @example "github" */
  server: string | null;

  /** The description for models. @example "Returns the current date, time and day of the week in a time zone." */
  description: string;

  /** JSON Schema (2020-12) of its arguments. */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { type: 'object', properties: { time_zone: { type: 'string' } }, required: [] },
  })
  input_schema: Record<string, unknown>;

  /** Whether the tool changes nothing. @example true */
  read_only: boolean;

  /** Whether repeated calls have no further effect. @example true */
  idempotent: boolean;

  /** Whether the tool returns untrusted content. @example false */
  outside: boolean;
}

/** A test call of a tool. */
export class ToolTestDto extends LanguageBodyDto {
  /** The arguments, as a model would send them. */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    maxProperties: MOST_MEMBERS,
    example: { time_zone: 'Europe/Lisbon' },
  })
  @AsSent()
  @IsDefined()
  @IsObject()
  arguments: Record<string, unknown>;

  /** Validates the arguments without calling the tool. Required for tools that are not read-only. @example true */
  @OptionalField()
  @IsBoolean()
  dry?: boolean;
}

/** The result of a test call. */
export class ToolTestResultDto {
  /** The arguments as the tool receives them. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { time_zone: 'Europe/Lisbon' } })
  arguments: Record<string, unknown>;

  /** The result as a model receives it. Null: not called. @example "Saturday, 31 January 2026 at 09:30:00 GMT" */
  content: string | null;

  /** Whether the call failed. `content` then has the error message. @example false */
  is_error: boolean;

  /** Duration in milliseconds. Null: not called. @example 3 */
  duration_ms: number | null;
}
