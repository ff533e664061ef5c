import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsString, Min } from 'class-validator';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import { CharacterCount, MaxLength, NotBlank, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { normalForm } from '../../../common/validation/normal-form';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { type Group, GROUP_MANAGERS, type GroupManager } from '../groups/group.entity';
import type { GroupMember } from '../groups/group.query';

/** The name of a group in a body. The field trims it and changes it to NFC. */
const GroupNameField = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? normalForm(value.trim()) : value)),
    IsString(),
    CharacterCount(1, 100),
    NotBlank(),
    ApiProperty({ type: String, description: 'Unique among groups, not case-sensitive.', example: 'Engineering' }),
  );

/** Users for whom agents and budgets can be opened together. */
export class GroupDto {
  /** Id of the group. @example 3 */
  id: number;

  /** Unique among the groups; case is ignored. @example "Engineering" */
  name: string;

  /** Purpose of the group; may be empty. @example "The engineering teams." */
  description: string;

  /** Creator of the group: administrators (`admin`), or the directory of an identity provider. @example "admin" */
  @ApiProperty({ enum: GROUP_MANAGERS })
  managed_by: GroupManager;

  /** Open accounts in the group, from all sources. @example 12 */
  member_count: number;

  /** When it was created. @example 2026-01-31T09:30:00.000Z */
  created_at: string;
}

/** A new group, without members. */
@ObjectExample({ name: 'Engineering', description: 'The engineering teams.' })
export class CreateGroupDto extends LanguageBodyDto {
  @GroupNameField()
  name: string;

  /** Up to 1,000 characters. @example "The engineering teams." */
  @OptionalField()
  @IsString()
  @CharacterCount(0, 1_000)
  description?: string;
}

/** Changes of a group; absent fields stay unchanged. */
@ObjectExample({ description: 'The engineering teams.' })
export class UpdateGroupDto extends LanguageBodyDto {
  @OptionalField()
  @GroupNameField()
  name?: string;

  /** Up to 1,000 characters. @example "The engineering teams." */
  @OptionalField()
  @IsString()
  @CharacterCount(0, 1_000)
  description?: string;
}

/** The response to a deletion. */
export class DeletedGroupDto {
  /** Id of the deleted group. @example 3 */
  id: number;
}

/** Filters of the group list. */
export class ListGroupsQueryDto extends PageQueryDto {
  /** A part of the name, in any case. */
  @OptionalField()
  @IsString()
  @MaxLength(100)
  q?: string;
}

/** A user in a group. */
export class GroupMemberDto {
  /** Id of the user. @example 42 */
  user_id: number;

  /** The current name of the user. @example "ada" */
  username: string;

  /** The email address of the user. @example "ada@example.com" */
  email: string;

  /** Source of the membership; `admin` if an administrator is one of several sources. @example "admin" */
  @ApiProperty({ enum: GROUP_MANAGERS })
  source: GroupManager;

  /** All sources of the membership. @example ["admin"] */
  @ApiProperty({ enum: GROUP_MANAGERS, isArray: true })
  sources: GroupManager[];

  /** Since when the user is in the group. @example 2026-01-31T09:30:00.000Z */
  added_at: string;
}

/** The user to add to the group. */
@ObjectExample({ user_id: 42 })
export class AddGroupMemberDto extends LanguageBodyDto {
  /** Id of the user. @example 42 */
  @IsInt()
  @Min(1)
  user_id: number;
}

/** The result of the removal. */
export class RemovedGroupMemberDto {
  /** Id of the user. @example 42 */
  user_id: number;

  /** True if an identity provider or SCIM keeps the user in the group. @example false */
  is_member: boolean;
}

export function toGroupDto(group: Group, memberCount: number): GroupDto {
  return {
    id: group.id,
    name: group.name,
    description: group.description,
    managed_by: group.managedBy,
    member_count: memberCount,
    created_at: group.createdAt.toISOString(),
  };
}

export function toGroupMemberDto({ userId, username, email, sources, addedAt }: GroupMember): GroupMemberDto {
  const source = sources[0] ?? 'admin';
  return { user_id: userId, username, email, source, sources, added_at: addedAt.toISOString() };
}
