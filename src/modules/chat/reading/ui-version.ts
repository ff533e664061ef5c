import type { Request } from 'express';

/** Major versions of the AI SDK with different UI message streams. */
export const UI_VERSIONS = [5, 6, 7] as const;

export type UiVersion = (typeof UI_VERSIONS)[number];

export const DEFAULT_UI_VERSION: UiVersion = 6;

/** The version in the validated query or body. */
export function uiVersionOf({ query, body }: Request): UiVersion {
  const named = Number(query.ui_version ?? (body as { ui_version?: unknown } | undefined)?.ui_version);
  return UI_VERSIONS.find((version) => version === named) ?? DEFAULT_UI_VERSION;
}

/** Whether a page of this version can request an approval itself. Older versions have no parts for it. */
export function hasApprovalParts(version: UiVersion): boolean {
  return version >= 6;
}
