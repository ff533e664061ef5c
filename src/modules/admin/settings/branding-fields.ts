import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsString, isURL, Matches } from 'class-validator';
import { imageType } from '../../../common/http/image-type';
import { LANGUAGES } from '../../../common/i18n/language';
import { visibleName } from '../../../common/text/invisible';
import {
  CharacterCount,
  FieldRule,
  MaxLength,
  NoDuplicates,
  NotBlank,
  NullableField,
  OptionalField,
} from '../../../common/validation/fields';
import { parseMailbox } from '../../../integrations/mail/mailbox';

/** Largest logo in bytes. It is small because every visit loads it. */
const LOGO_BYTES = 49_152;

const LONGEST_LOGO = Math.ceil(LOGO_BYTES / 3) * 4 + 64;

/** An address has at most 254 characters. The rest is for the display name. */
const LONGEST_MAILBOX = 320;

const DATA_URL = /^data:(image\/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/]+={0,2})$/;

export const NameField = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? visibleName(value) : value)),
    NullableField(),
    NotBlank(),
    CharacterCount(1, 60),
    IsString(),
  );

/** No SVG, because it may contain scripts. White space in the base64 is removed. */
export const LogoField = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.replace(/\s+/g, '') : value)),
    NullableField(),
    FieldRule('invalid_format', isLogo),
    MaxLength(LONGEST_LOGO),
    IsString(),
    ApiProperty({ maxLength: LONGEST_LOGO }),
  );

export const ColourField = (): PropertyDecorator =>
  applyDecorators(
    NullableField(),
    Matches(/^#[0-9a-f]{6}$/i),
    MaxLength(7),
    IsString(),
    ApiProperty({ maxLength: 7, pattern: '^#[0-9a-fA-F]{6}$' }),
  );

export const WelcomeField = (): PropertyDecorator =>
  applyDecorators(NullableField(), CharacterCount(1, 1_000), IsString());

export const TermsField = (): PropertyDecorator =>
  applyDecorators(
    NullableField(),
    FieldRule('invalid_format', isPage),
    MaxLength(2_000),
    IsString(),
    ApiProperty({ maxLength: 2_000 }),
  );

/** Exactly one mailbox, because anything else could add headers to every mail. */
export const MailboxField = (): PropertyDecorator =>
  applyDecorators(
    NullableField(),
    FieldRule('invalid_format', (value) => typeof value === 'string' && parseMailbox(value) !== null),
    MaxLength(LONGEST_MAILBOX),
    IsString(),
    ApiProperty({ maxLength: LONGEST_MAILBOX }),
  );

export const LanguagesField = (): PropertyDecorator =>
  applyDecorators(
    OptionalField(),
    NoDuplicates(),
    IsIn(LANGUAGES, { each: true }),
    ArrayMinSize(1),
    ArrayMaxSize(LANGUAGES.length),
    IsArray(),
    ApiProperty({ enum: LANGUAGES, isArray: true, required: false, minItems: 1, maxItems: LANGUAGES.length }),
  );

function isLogo(value: unknown): boolean {
  const [, type, base64 = ''] = typeof value === 'string' ? (DATA_URL.exec(value) ?? []) : [];
  const bytes = Buffer.from(base64, 'base64');
  return type !== undefined && bytes.length <= LOGO_BYTES && imageType(bytes) === type;
}

/** Rejects user names and passwords, because every browser that opens the page would send them. */
function isPage(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    isURL(value, { protocols: ['https', 'http'], require_protocol: true, require_tld: false, disallow_auth: true })
  );
}
