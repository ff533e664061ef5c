import { ApiProperty } from '@nestjs/swagger';

export const VARIABLE_SOURCES = ['default', 'environment', 'file', 'setting'] as const;

/** A variable of the service. */
export class VariableDto {
  /** Name of the variable. @example DATABASE_URL */
  name: string;

  /**
   * Value in effect, as text. In URLs, user, password and query are `***`, and lists of headers have only the names.
   * Null for secrets and for variables without a value.
   *
   * @example "mysql://***:***@db:3306/chat?***"
   */
  value: string | null;

  /** Origin of the value: `file` is `.env`; `setting` was set by an administrator. @example environment */
  @ApiProperty({ enum: VARIABLE_SOURCES })
  source: (typeof VARIABLE_SOURCES)[number];

  /** Whether it is a secret, whose value is never returned. @example false */
  is_secret: boolean;

  /** Whether it has a value other than its default. @example true */
  is_set: boolean;
}
