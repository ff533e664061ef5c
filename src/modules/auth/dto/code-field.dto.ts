import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsString, MaxLength } from 'class-validator';
import { NotBlank } from '../../../common/validation/fields';

/** A one-time code as somebody typed it: blanks do not count, and what is no code at all is simply a wrong one. */
export const CodeField = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.replace(/\s/g, '') : value)),
    IsString(),
    MaxLength(64),
    NotBlank(),
    ApiProperty({ type: String, maxLength: 64, description: 'The six digits from the mail.', example: '123456' }),
  );
