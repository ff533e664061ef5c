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

/** Most characters of a code, including spaces and hyphens. */
const LONGEST_TYPED = 256;

/**
 * A one-time code as typed by a user. Full-width digits, spaces and hyphens are normalized. Any other text is a wrong
 * code.
 */
export const CodeField = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (isCodeLike(value) ? foldCode(value) : value)),
    IsString(),
    MaxLength(64),
    NotBlank(),
    ApiProperty({ type: String, maxLength: 64, description: 'The six-digit code from the email.', example: '123456' }),
  );

/** Longer texts are not normalized, and the length rule rejects them. */
function isCodeLike(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_TYPED;
}

/** The recipient and purpose of a code (specification §4.1). */
@ObjectExample({ email: 'ada@example.com', purpose: 'register' })
export class SendCodeDto extends LanguageBodyDto {
  /** Not needed for `link_identity`, which uses the address from the provider. */
  @applyDecorators(
    ValidateIf(({ purpose, email }: SendCodeDto) => purpose !== 'link_identity' || email !== undefined),
    EmailField(),
    ApiPropertyOptional(),
  )
  email?: string;

  /** For `link_identity`: the token from 409 IDENTITY_LINK_REQUIRED. @example "Jq0R…" */
  @applyDecorators(
    ValidateIf(({ purpose, link_token }: SendCodeDto) => purpose === 'link_identity' || link_token !== undefined),
    IsString(),
    MaxLength(128),
    NotBlank(),
    ApiPropertyOptional({ maxLength: 128 }),
  )
  link_token?: string;

  /** Purpose of the code. @example "register" */
  @IsString()
  @IsIn(CODE_PURPOSES)
  purpose: CodePurpose;

  @InvitationField()
  invitation?: string;
}
