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

/** Users whom agents and budgets can be opened to together. */
export class GroupDto {
  /** The group. @example 3 */
  id: number;

  /** Unique among the groups; case does not count. @example "Engineering" */
  name: string;

  /** What it is for; may be empty. @example "Everybody who builds." */
  description: string;

  /** Who made it: administrators (`admin`), or the directory of an identity provider. @example "admin" */
  @ApiProperty({ enum: GROUP_MANAGERS })
  managed_by: GroupManager;

  /** Open accounts in it, whoever put them there. @example 12 */
  member_count: number;

  /** When it was made. @example 2026-01-31T09:30:00.000Z */
  created_at: string;
}

/** A new group, without members. */
@ObjectExample({ name: 'Engineering', description: 'All engineers.' })
export class CreateGroupDto extends LanguageBodyDto {
  @GroupNameField()
  name: string;

  /** Up to 1,000 characters. @example "Everybody who builds." */
  @OptionalField()
  @IsString()
  @CharacterCount(0, 1_000)
  description?: string;
}

/** Changes of a group; absent fields stay as they are. */
@ObjectExample({ description: 'All engineers.' })
export class UpdateGroupDto extends LanguageBodyDto {
  @OptionalField()
  @GroupNameField()
  name?: string;

  /** Up to 1,000 characters. @example "Everybody who builds." */
  @OptionalField()
  @IsString()
  @CharacterCount(0, 1_000)
  description?: string;
}

/** The answer to a deletion. */
export class DeletedGroupDto {
  /** The deleted group. @example 3 */
  id: number;
}

/** Which groups. */
export class ListGroupsQueryDto extends PageQueryDto {
  /** A part of the name, in any case. */
  @OptionalField()
  @IsString()
  @MaxLength(100)
  q?: string;
}

/** Somebody who is in a group. */
export class GroupMemberDto {
  /** The user. @example 42 */
  user_id: number;

  /** The present name of the user. @example "ada" */
  username: string;

  /** The address of the user. @example "ada@example.com" */
  email: string;

  /** Who put the user there; `admin` where an administrator did, whoever else did too. @example "admin" */
  @ApiProperty({ enum: GROUP_MANAGERS })
  source: GroupManager;

  /** Everybody who put the user there. @example ["admin"] */
  @ApiProperty({ enum: GROUP_MANAGERS, isArray: true })
  sources: GroupManager[];

  /** Since when the user is in the group. @example 2026-01-31T09:30:00.000Z */
  added_at: string;
}

/** Who is to be in the group. */
@ObjectExample({ user_id: 42 })
export class AddGroupMemberDto extends LanguageBodyDto {
  /** The user. @example 42 */
  @IsInt()
  @Min(1)
  user_id: number;
}

/** What was taken back. */
export class RemovedGroupMemberDto {
  /** The user. @example 42 */
  user_id: number;

  /** True when an identity provider or SCIM keeps the user in the group. @example false */
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
