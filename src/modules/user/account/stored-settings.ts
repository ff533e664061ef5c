import type { UserSettings } from './user.entity';

/**
 * SQL for a statement of another module that needs the settings of a user together with its own rows.
 *
 * @param userId the column with the user's id, such as `chat.user_id`
 */
export function selectSettings(userId: string): string {
  return `(SELECT owner.settings FROM users owner WHERE owner.id = ${userId})`;
}

/** The settings in the form in which `selectSettings` reads them. */
export function parseSettings(stored: string): UserSettings {
  return JSON.parse(stored) as UserSettings;
}
