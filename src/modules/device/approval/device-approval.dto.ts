import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { MaxLength, NotBlank } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { DEVICE_DECISIONS, type DeviceCodeEntity, type DeviceDecision } from '../codes/device-code.entity';

/** The code that a command-line program shows. */
@ObjectExample({ user_code: 'BCDF-GHJK' })
export class LookUpDeviceDto extends LanguageBodyDto {
  /** The code. Case, spaces and hyphens are ignored. @example "BCDF-GHJK" */
  @MaxLength(64)
  @NotBlank()
  @IsString()
  user_code: string;
}

/** The decision about a command-line program. */
@ObjectExample({ user_code: 'BCDF-GHJK', decision: 'approve' })
export class DecideDeviceDto extends LookUpDeviceDto {
  /** The decision, which is final. @example "approve" */
  @IsIn(DEVICE_DECISIONS)
  @ApiProperty({ enum: DEVICE_DECISIONS })
  decision: DeviceDecision;
}

/** A command-line program that waits for approval. It sent its names itself, so they prove nothing. */
export class DeviceRequestDto {
  /** `client_id` of the program. Null if it sent none. @example "chat-service-client" */
  client_id: string | null;

  /** Kind of program. Null if it sent none. @example "claude_code" */
  surface: string | null;

  /** Name of its computer. Null if it sent none. @example "ada-laptop" */
  device_name: string | null;

  /** User agent of the program. Null if it sent none. @example "chat-service-client/1.0.0" */
  user_agent: string | null;

  /** IP address of the program. @example "203.0.113.7" */
  address: string;

  /** Scopes that the program will have. @example ["anthropic", "openai"] */
  scopes: string[];

  /** When the program started the sign-in. @example "2026-07-31T12:00:00.000Z" */
  created_at: string;

  /** When the code expires. @example "2026-07-31T12:10:00.000Z" */
  expires_at: string;
}

export function toDeviceRequestDto(code: DeviceCodeEntity): DeviceRequestDto {
  return {
    client_id: code.clientId,
    surface: code.surface,
    device_name: code.deviceName,
    user_agent: code.userAgent,
    address: code.address,
    scopes: code.scope.split(' '),
    created_at: code.createdAt.toISOString(),
    expires_at: code.expiresAt.toISOString(),
  };
}
