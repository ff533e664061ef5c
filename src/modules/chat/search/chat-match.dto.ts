/** A message of a conversation that contains the text of a search. */
export class ChatMatchDto {
  /** The message: on the current line if possible, otherwise another version. @example 2 */
  message_id: number;

  /**
   * Up to 200 characters around the text, unchanged. The text may also be in the name of a file.
   * @example "Take the tram to the old town of Lisbon."
   */
  excerpt: string;

  /**
   * Its number among the versions of the message, from 1 for the oldest, if the message is not on the current line.
   * PUT /chat/{chat_id}/line with `message_id` shows it. Null: the message is on the current line.
   * @example 1
   */
  version: number | null;
}
