import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsString, ValidateIf } from 'class-validator';
import { foldCode } from '../../../common/text/folding';
import { MaxLength, NotBlank } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { EmailField } from '../../user/user.api';
import { InvitationField } from '../invitations/invitation.dto';
import { CODE_PURPOSES, CodePurpose } from './verification-code.entity';

/** Characters of a code with its blanks and hyphens. */
const LONGEST_TYPED = 256;

/** A one-time code as a person typed it: full-width digits, blanks and hyphens make no difference. Any other text is a wrong code. */
export const CodeField = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (isCodeLike(value) ? foldCode(value) : value)),
    IsString(),
    MaxLength(64),
    NotBlank(),
    ApiProperty({ type: String, maxLength: 64, description: 'The six-digit code from the email.', example: '123456' }),
  );

/** No text that is longer is folded, and the rule refuses it. */
function isCodeLike(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_TYPED;
}

/** Where to send a code, and what for (specification §4.1). */
@ObjectExample({ email: 'ada@example.com', purpose: 'register' })
export class SendCodeDto extends LanguageBodyDto {
  /** Not for `link_identity`: there it is the address that the provider told. */
  @applyDecorators(
    ValidateIf(({ purpose, email }: SendCodeDto) => purpose !== 'link_identity' || email !== undefined),
    EmailField(),
    ApiPropertyOptional(),
  )
  email?: string;

  /** For `link_identity`, as 409 IDENTITY_LINK_REQUIRED has it. @example "Jq0R…" */
  @applyDecorators(
    ValidateIf(({ purpose, link_token }: SendCodeDto) => purpose === 'link_identity' || link_token !== undefined),
    IsString(),
    MaxLength(128),
    NotBlank(),
    ApiPropertyOptional({ maxLength: 128 }),
  )
  link_token?: string;

  /** What the code is to be good for. @example "register" */
  @IsString()
  @IsIn(CODE_PURPOSES)
  purpose: CodePurpose;

  @InvitationField()
  invitation?: string;
}
