import type { Language } from '../i18n/language';
import { translate } from '../i18n/translator';

/** Confirms a completed action (specification §2.7). */
export class AcknowledgementDto {
  /** Always true; failures have the error body. @example true */
  success: true;

  /** A sentence in the caller's language. @example "Done." */
  message: string;
}

/** @param key of the sentence under `messages` in the catalogue */
export function acknowledge(language: Language, key: string, values: Record<string, unknown> = {}): AcknowledgementDto {
  return { success: true, message: translate(language, `messages.${key}`, values) };
}
