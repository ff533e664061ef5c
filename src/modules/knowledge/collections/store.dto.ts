import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { IsIn, IsInt, IsString, Max, Min, ValidateNested } from 'class-validator';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import { visibleName } from '../../../common/text/invisible';
import {
  CharacterCount,
  FieldRule,
  MaxLength,
  NotBlank,
  NullableField,
  OptionalField,
} from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { normalForm } from '../../../common/validation/normal-form';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { ObjectList } from '../../../common/validation/object-list';
import { SwitchParameter } from '../../../common/validation/parameters';
import { ENTRY_STATUSES, type EntryStatus } from '../tables/knowledge-entry.entity';
import { GROUP_ROLES, type GroupRole, STORE_ROLES, type StoreRole } from '../tables/knowledge-store.entity';
import { COLLECTION_MODES, type CollectionMode } from './collection-mode';
import type { StoreAccess } from './store-access';
import type { StoreFields } from './stores.service';

const MOST_GROUPS = 100;

/** The name of a collection in a body. The field trims it, changes it to NFC, and removes invisible characters. */
const StoreNameField = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? normalForm(visibleName(value)) : value)),
    IsString(),
    CharacterCount(1, 256),
    NotBlank(),
    ApiProperty({ type: String, description: 'Name of the collection.', example: 'Handbooks' }),
  );

/** A group that a collection is shared with. */
export class SharedGroupDto {
  /** Id of the group. @example 3 */
  @IsInt()
  @Min(1)
  group_id: number;

  /** `reader`: may search and read; `editor`: may also add and remove files. @example "reader" */
  @IsIn(GROUP_ROLES)
  @ApiProperty({ enum: GROUP_ROLES })
  role: GroupRole;
}

/** Who may read a collection, besides its owner. */
export class StoreAccessDto {
  /** `reader`: every user may read it; only administrators set it. @example null */
  @NullableField()
  @IsIn(['reader'])
  @ApiProperty({ type: String, enum: ['reader'], nullable: true, required: false })
  everyone?: 'reader' | null;

  /** Groups that you belong to, each once; administrators share with any group. */
  @OptionalField()
  @ObjectList(() => SharedGroupDto, MOST_GROUPS)
  @FieldRule('duplicate', hasNoDuplicates)
  @ApiPropertyOptional({ type: [SharedGroupDto] })
  groups?: SharedGroupDto[];
}

/** The fields of a collection that bodies may leave out. */
export class KnowledgeFieldsDto extends LanguageBodyDto {
  /** Up to 1,000 characters; null: none. @example "How we work." */
  @NullableField()
  @IsString()
  @CharacterCount(0, 1_000)
  @ApiPropertyOptional({ type: String, nullable: true })
  description?: string | null;

  /** Replaces the present access as a whole. */
  @OptionalField()
  @FieldRule('wrong_type', (value) => typeof value === 'object' && value !== null && !Array.isArray(value))
  @ValidateNested()
  @Type(() => StoreAccessDto)
  access?: StoreAccessDto;

  /** Days after its last use, 1 to 365; null: it does not expire. @example 90 */
  @NullableField()
  @IsInt()
  @Min(1)
  @Max(365)
  @ApiPropertyOptional({ type: Number, nullable: true })
  expires_after_days?: number | null;
}

/** A new collection. It is private unless `access` says otherwise. */
@ObjectExample({ name: 'Handbooks', description: 'How we work.' })
export class CreateKnowledgeDto extends KnowledgeFieldsDto {
  @StoreNameField()
  name: string;
}

/** Changes of a collection; absent fields stay unchanged. */
@ObjectExample({ description: 'How we work since 2026.' })
export class UpdateKnowledgeDto extends KnowledgeFieldsDto {
  @OptionalField()
  @StoreNameField()
  name?: string;
}

/** Filters of the list of collections. */
export class ListKnowledgeQueryDto extends PageQueryDto {
  /** A part of the name, in any case. */
  @OptionalField()
  @IsString()
  @MaxLength(100)
  q?: string;

  /** Only collections in which you have this role. */
  @OptionalField()
  @IsIn(STORE_ROLES)
  @ApiPropertyOptional({ enum: STORE_ROLES })
  role?: StoreRole;
}

/** How a collection is deleted. */
export class DeleteKnowledgeQueryDto {
  /** Also deletes a collection that agents use, and removes it from them. */
  @SwitchParameter()
  @FieldRule('wrong_type', (value) => typeof value === 'boolean')
  force: boolean = false;
}

/** The owner of a collection. */
export class KnowledgeOwnerDto {
  /** Id of the user. @example 42 */
  id: number;

  /** Current username; null if the account is closed. @example "ada" */
  username: string | null;
}

/** How many files of a collection have each status. */
export class FileCountsDto implements Record<EntryStatus | 'total', number> {
  /** Files that are being read. @example 0 */
  in_progress: number;

  /** Files that can be searched. @example 12 */
  completed: number;

  /** Files that could not be read. @example 0 */
  failed: number;

  /** Files whose reading was cancelled. @example 0 */
  cancelled: number;

  /** All files. @example 12 */
  total: number;
}

/** A collection of files. */
export class KnowledgeDto {
  /** Id of the collection. @example 3 */
  id: number;

  /** Its name. @example "Handbooks" */
  name: string;

  /** What it is for; null if there is no description. @example "How we work." */
  description: string | null;

  /** Its owner; null if it belongs to the service. */
  @ApiProperty({ type: KnowledgeOwnerDto, nullable: true })
  owner: KnowledgeOwnerDto | null;

  /** What you may do. @example "owner" */
  @ApiProperty({ enum: STORE_ROLES })
  my_role: StoreRole;

  /** Its other readers; null for readers. */
  @ApiProperty({ type: StoreAccessDto, nullable: true })
  access: StoreAccessDto | null;

  /** Whether an administrator vouches for the files: their text is no untrusted content. @example false */
  trusted: boolean;

  /** Numbers of files by status. */
  files: FileCountsDto;

  /** Passages that searches can find. @example 480 */
  passages: number;

  /** Bytes of the passages' texts and vectors. @example 1048576 */
  usage_bytes: number;

  /** `words`: keyword search; `hybrid`: keyword and semantic search. @example "words" */
  @ApiProperty({ enum: COLLECTION_MODES })
  mode: CollectionMode;

  /** When its entries are removed if it is not used until then; null: never. @example "2026-05-01T09:30:00.000Z" */
  expires_at: string | null;

  /** When it was created. @example "2026-01-31T09:30:00.000Z" */
  created_at: string;

  /** When its fields last changed. @example "2026-01-31T09:30:00.000Z" */
  updated_at: string;
}

/** The response to a deletion. */
export class DeletedKnowledgeDto {
  /** Id of the deleted collection. @example 3 */
  id: number;

  /** Only if a legal hold keeps it. @example true */
  kept?: boolean;
}

/** The fields that a body sets. */
export function toFields(body: UpdateKnowledgeDto): Partial<StoreFields> {
  const { name, description, access, expires_after_days: days } = body;
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(access !== undefined && { access: toAccess(access) }),
    ...(days !== undefined && { expiresAfterDays: days }),
  };
}

export function toAccess({ everyone = null, groups = [] }: StoreAccessDto): StoreAccess {
  return { everyone, groups: groups.map(({ group_id, role }) => ({ groupId: group_id, role })) };
}

export function noCounts(): FileCountsDto {
  return {
    ...(Object.fromEntries(ENTRY_STATUSES.map((status) => [status, 0])) as Record<EntryStatus, number>),
    total: 0,
  };
}

function hasNoDuplicates(groups: unknown): boolean {
  const ids = Array.isArray(groups) ? (groups as (SharedGroupDto | null)[]).map((group) => group?.group_id) : [];
  return new Set(ids).size === ids.length;
}
