import { ScimNotFoundError } from '../scim.errors';

/** Parses the id of a resource, which is a text for directories. @throws ScimNotFoundError for an unknown form */
export function scimId(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text) || Number(text) > 2_147_483_647) {
    throw new ScimNotFoundError();
  }
  return Number(text);
}
