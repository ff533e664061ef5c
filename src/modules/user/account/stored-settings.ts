import type { UserSettings } from './user.entity';

/**
 * SQL for other modules' statements that read a user's settings together with their own rows.
 *
 * @param userId the column with the user's id, such as `chat.user_id`
 */
export function selectSettings(userId: string): string {
  return `(SELECT owner.settings FROM users owner WHERE owner.id = ${userId})`;
}

/** Parses settings that `selectSettings` has read. */
export function parseSettings(stored: string): UserSettings {
  return JSON.parse(stored) as UserSettings;
}
