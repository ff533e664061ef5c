import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsString, MaxLength } from 'class-validator';
import { NotBlank } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { EmailField } from '../../user/user.api';
import { CODE_PURPOSES, CodePurpose } from './verification-code.entity';

/** A one-time code as somebody typed it. Blanks do not count. A text that cannot be a code is simply a wrong code. */
export const CodeField = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.replace(/\s/g, '') : value)),
    IsString(),
    MaxLength(64),
    NotBlank(),
    ApiProperty({ type: String, maxLength: 64, description: 'The six digits from the mail.', example: '123456' }),
  );

/** Where to send a code, and what for (specification §4.1). */
export class SendCodeDto extends LanguageBodyDto {
  @EmailField()
  email: string;

  /** What the code is to be good for. @example "register" */
  @IsString()
  @IsIn(CODE_PURPOSES)
  purpose: CodePurpose;
}
