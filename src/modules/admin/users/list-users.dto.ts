import { IsIn, IsString } from 'class-validator';
import { PageOrFileQueryDto } from '../../../common/csv/csv-query.dto';
import { type Sort, SortParameter } from '../../../common/envelope/sort';
import type { UserType } from '../../../common/security/principal';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import { MEMBERSHIP_TYPES, type MembershipType } from '../../user/user.api';
import type { AdminUserDto } from './admin-user.dto';

/** Sort fields of users. */
const SORT_FIELDS = ['id', 'username', 'email', 'created_at', 'last_login_at', 'chats', 'messages', 'tokens'] as const;

export type UserSortField = (typeof SORT_FIELDS)[number];

export type UserSort = Sort<UserSortField>;

/** Filters and order of users. */
export class ListUsersQueryDto extends PageOrFileQueryDto {
  /** A part of the username or address, case-insensitive, or an id. */
  @OptionalField()
  @IsString()
  @MaxLength(254)
  q?: string;

  /** Only users of this type. */
  @OptionalField()
  @IsIn(['normal', 'admin', 'service'])
  user_type?: UserType;

  /** Only users whose current plan is this one. An expired plan counts as `free`. */
  @OptionalField()
  @IsIn(MEMBERSHIP_TYPES)
  membership_type?: MembershipType;

  /**
   * `banned`: with an active ban; `suspended`: by the directory of an identity provider; `active`: neither; `closed`:
   * closed but not yet erased. If absent, all open accounts.
   */
  @OptionalField()
  @IsIn(['active', 'banned', 'suspended', 'closed'])
  status?: AdminUserDto['status'];

  @SortParameter(
    SORT_FIELDS,
    '-id',
    'A field name, with a minus in front for descending order. Files are sorted by id.',
  )
  sort: UserSort = '-id';
}
