import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { NullableField, OptionalField } from '../../common/validation/fields';
import { LanguageBodyDto } from '../../common/validation/language-body.dto';
import { ObjectExample } from '../../common/validation/object-example.decorator';
import { InstantField } from '../../common/validation/times';
import { FilePartDto, type StoredMessage, TextPartDto } from '../chat/chat.api';
import {
  citationsOf,
  isStoredFile,
  MESSAGE_ROLES,
  type MessageRole,
  type StoredFile,
  type StoredPart,
  wordsOf,
} from '../generation/generation.api';
import { SHARING, type Sharing } from '../user/user.api';
import { SHARE_MODES, type ShareEntity, type ShareMode } from './share.entity';

/** The parts of a message that others can see. */
export type SharableMessage = Pick<StoredMessage, 'role' | 'content' | 'parts' | 'createdAt'>;

/** Who may open shared conversations. */
export class SharingDto {
  /** `off`: no one; `users`: signed-in users; `everyone`: anyone with a link. @example "users" */
  @ApiProperty({ enum: SHARING })
  sharing: Sharing;
}

/** A new link to a conversation. */
@ObjectExample({ mode: 'snapshot', expires_at: '2027-01-31T12:00:00.000Z' })
export class CreateShareDto extends LanguageBodyDto {
  /**
   * When the link expires, in the future; absent or null: it stays valid until it is revoked.
   *
   * @example "2027-01-31T12:00:00.000Z"
   */
  @NullableField()
  @InstantField()
  expires_at?: string | null;

  /**
   * `snapshot`: the conversation at this moment; `live`: including later messages; default: `snapshot`.
   *
   * @example "snapshot"
   */
  @OptionalField()
  @IsIn(SHARE_MODES)
  @ApiPropertyOptional({ enum: SHARE_MODES })
  mode?: ShareMode;
}

/** A link to a conversation, without its secret. */
export class ShareDto {
  /** Id for the path that revokes the link. @example 3 */
  id: number;

  /** `snapshot`: the conversation at the time of sharing; `live`: including later messages. @example "snapshot" */
  @ApiProperty({ enum: SHARE_MODES })
  mode: ShareMode;

  /** When it expires; null: it stays valid until it is revoked. @example "2027-01-31T12:00:00.000Z" */
  expires_at: string | null;

  /** When it was created. @example "2026-01-31T09:30:00.000Z" */
  created_at: string;
}

/** A new link. The secret is returned only once. */
export class NewShareDto extends ShareDto {
  /** The page to share with others. @example "https://chat.example.com/console/shared/9tU2bqkXk3yYw1hJrD0aZQ" */
  url: string;

  /** For programs: GET /shared/{token}. @example "9tU2bqkXk3yYw1hJrD0aZQ" */
  token: string;
}

/** A place in a shared reply that uses a passage of a document. The passage itself is not shared. */
export class SharedCitationDto {
  /** The number of the passage within the reply. @example 1 */
  number: number;

  /** The offset in `content`, in UTF-16 code units. @example 42 */
  index: number;

  /** The name of the file. @example "handbook.pdf" */
  filename: string;
}

/** A message as readers of a shared conversation see it. */
@ApiExtraModels(TextPartDto, FilePartDto)
export class SharedMessageDto {
  /** Role of the author. @example "assistant" */
  @ApiProperty({ enum: MESSAGE_ROLES })
  role: MessageRole;

  /** The text. @example "In May the sea is warm around Cyprus." */
  content: string;

  /** Its texts, images and files in order, if it is more than text. Null: `content` is the whole message. */
  @ApiProperty({
    type: 'array',
    items: { anyOf: [TextPartDto, FilePartDto].map((part) => ({ $ref: getSchemaPath(part) })) },
    nullable: true,
    example: null,
  })
  parts: (TextPartDto | FilePartDto)[] | null;

  /** The passages of documents that the text uses. @example [] */
  citations: SharedCitationDto[];

  /** When it was written. @example "2026-01-31T09:30:00.000Z" */
  created_at: string;
}

/** A shared conversation, without any reference to its owner. */
export class SharedChatDto {
  /** Its title. @example "Trip to Lisbon" */
  title: string;

  /** Name of the agent; null if the agent was erased. @example "General assistant" */
  agent_name: string | null;

  /** `snapshot`: the conversation at the time of sharing; `live`: the current conversation. @example "snapshot" */
  @ApiProperty({ enum: SHARE_MODES })
  mode: ShareMode;

  /** When it was shared. @example "2026-01-31T09:30:00.000Z" */
  created_at: string;

  /** When the link expires; null: it stays valid until it is revoked. @example "2027-01-31T12:00:00.000Z" */
  expires_at: string | null;

  /** The newest messages, up to 1,000 and 4 MiB of text, oldest first. */
  messages: SharedMessageDto[];

  /** Whether there are older messages, which are not shown. @example false */
  has_more_messages: boolean;
}

export function toShareDto({ id, mode, expiresAt, createdAt }: ShareEntity): ShareDto {
  return { id, mode, expires_at: expiresAt?.toISOString() ?? null, created_at: createdAt.toISOString() };
}

/**
 * Excludes function calls, their results and reasoning, which only the owner can see. Null: the message has nothing
 * else.
 */
export function toSharedMessage(message: SharableMessage): SharedMessageDto | null {
  const { role, parts, createdAt } = message;
  const content = sharedWords(message);
  const hasFiles = sharedFiles(message).length > 0;
  return content === '' && !hasFiles
    ? null
    : {
        role,
        content,
        parts: hasFiles ? sharedParts(parts ?? []) : null,
        citations: sharedCitations(message),
        created_at: createdAt.toISOString(),
      };
}

/**
 * The text of the message. Results of functions are in the content of turns that a client sent, never in that of a
 * reply.
 */
export function sharedWords(message: Pick<SharableMessage, 'role' | 'content' | 'parts'>): string {
  return message.role === 'assistant' ? message.content : wordsOf(message);
}

/** The places that use passages, without the passages. */
export function sharedCitations({ parts }: Pick<SharableMessage, 'parts'>): SharedCitationDto[] {
  return citationsOf(parts).map(({ number, index, filename }) => ({ number, index, filename }));
}

/** Its images and files, except those that functions returned. */
export function sharedFiles({ parts }: Pick<SharableMessage, 'parts'>): StoredFile[] {
  return (parts ?? []).filter(isStoredFile).filter(({ call_id }) => call_id === undefined);
}

function sharedParts(parts: readonly StoredPart[]): (TextPartDto | FilePartDto)[] {
  return parts.flatMap((part): (TextPartDto | FilePartDto)[] => {
    if (isStoredFile(part)) {
      const { type, media_type, name, detail, hash, bytes, call_id } = part;
      return call_id === undefined ? [{ type, media_type, name, detail, hash, bytes }] : [];
    }
    return part.type === 'text' ? [{ type: 'text', text: part.text }] : [];
  });
}
