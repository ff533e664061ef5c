import type { Turn } from '../../generation/generation.api';
import type { NewMessage } from '../history/conversation-history';

/** What a reply needs to know of its conversation until it has ended. */
export interface ChatReplyFacts {
  /** A title from the user's words; null: the chat has a title, or nothing of the words is visible. */
  title: string | null;
  /** Whether the chat has no title yet. */
  isUntitled: boolean;
  /** The end of the line that this reply replaces; null: it replaces none. */
  formerLineEndId: number | null;
  /** The message to answer; null when it must be read first. */
  question: Turn | null;
  /** That message, when it is a new one at the end of its conversation; null: it stands elsewhere. */
  message: NewMessage | null;
}
