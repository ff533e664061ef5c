import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsDefined, IsObject } from 'class-validator';
import { MOST_MEMBERS } from '../../common/http/body/json-scan';
import { AsSent } from '../../common/validation/as-sent.decorator';
import { OptionalField } from '../../common/validation/fields';
import { LanguageBodyDto } from '../../common/validation/language-body.dto';

/** A function that agents can call. */
export class ToolDto {
  /** What agents and models call it. @example "current_time" */
  name: string;

  /** Where it comes from: a module, or the label of a server. @example "tool" */
  source: string;

  /** The label of the server (MCP) that it comes from; null: a module of the service. @example "github" */
  server: string | null;

  /** What models read of it. @example "Tells the date, the time and the day of the week at this moment, in a time zone." */
  description: string;

  /** JSON Schema (2020-12) of its arguments. */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { type: 'object', properties: { time_zone: { type: 'string' } }, required: [] },
  })
  input_schema: Record<string, unknown>;

  /** Whether it changes nothing. @example true */
  read_only: boolean;

  /** Whether it may be called again without doing more. @example true */
  idempotent: boolean;

  /** Whether it brings text from outside of the house. @example false */
  outside: boolean;
}

/** A trial of a tool. */
export class ToolTestDto extends LanguageBodyDto {
  /** What a model would send. */
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

  /** Only checks the arguments, and runs nothing. Without it only tools run that change nothing. @example true */
  @OptionalField()
  @IsBoolean()
  dry?: boolean;
}

/** What a trial brought. */
export class ToolTestResultDto {
  /** The arguments as the tool gets them. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { time_zone: 'Europe/Lisbon' } })
  arguments: Record<string, unknown>;

  /** What the tool returned, as a model reads it; null: it was not run. @example "Saturday, 31 January 2026 at 09:30:00 GMT" */
  content: string | null;

  /** Whether it failed; then `content` has its own words. @example false */
  is_error: boolean;

  /** How long it took; null: it was not run. @example 3 */
  duration_ms: number | null;
}
