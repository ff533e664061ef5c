import { IsIn } from 'class-validator';

/** How to read a conversation. */
export class ReadChatQueryDto {
  /** `all` shows replies too that were generated anew since. */
  @IsIn(['current', 'all'])
  branches: 'current' | 'all' = 'current';
}
