import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { LOG_LEVELS, type LogLevel } from '../../../common/logging/log-level';
import { MaxLength, NullableField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';

/** A temporary log level. */
export class SetLogLevelDto extends LanguageBodyDto {
  /** The level of the log. No level logs content or secrets. @example debug */
  @IsIn(LOG_LEVELS)
  @ApiProperty({ enum: LOG_LEVELS })
  level: LogLevel;

  /** Id of the instance. Null or absent: all, including those that start later. @example "0f9a3a52-6f0e-4cde-9d4b-0f4f2a5b7c11" */
  @NullableField()
  @MaxLength(64)
  @IsString()
  instance_id?: string | null;

  /** Minutes after which `LOG_LEVEL` applies again. @example 60 */
  @Max(1_440)
  @Min(1)
  @IsInt()
  minutes: number = 60;
}

/** The log level of a running instance. */
export class InstanceLogLevelDto {
  /** Id of the instance. @example "0f9a3a52-6f0e-4cde-9d4b-0f4f2a5b7c11" */
  instance_id: string;

  /** Its level. Null for an earlier version that does not report it. @example debug */
  @ApiProperty({ enum: LOG_LEVELS, nullable: true })
  level: LogLevel | null;

  /** When `LOG_LEVEL` applies again. Null: it applies now. @example "2026-07-31T13:00:00.000Z" */
  until: string | null;
}
