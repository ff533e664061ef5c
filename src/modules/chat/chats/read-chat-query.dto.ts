import { IsIn } from 'class-validator';

/** How to read a conversation. */
export class ReadChatQueryDto {
  /** `all` shows the other lines too: earlier wordings, replies that were generated anew, and what followed them. */
  @IsIn(['current', 'all'])
  branches: 'current' | 'all' = 'current';
}
