import { Injectable, PipeTransform } from '@nestjs/common';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { MEMBERSHIP_TYPES, type MembershipType } from '../../user/user.api';

/** Reads the path parameter that names a plan. Any other value is 400. */
@Injectable()
export class MembershipTypePipe implements PipeTransform<string, MembershipType> {
  transform(value: string): MembershipType {
    const known = MEMBERSHIP_TYPES.find((type) => type === value);
    if (!known) {
      throw new InvalidParameterError([{ field: 'membership_type', reason: 'not_offered' }]);
    }
    return known;
  }
}
