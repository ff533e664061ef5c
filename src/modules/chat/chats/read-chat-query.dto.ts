import { IsIn } from 'class-validator';

/** How to read a conversation. */
export class ReadChatQueryDto {
  /** `all` also shows the other lines: earlier wordings, replaced replies, and what followed them. */
  @IsIn(['current', 'all'])
  branches: 'current' | 'all' = 'current';
}
