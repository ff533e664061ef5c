/**
 * The scopes of keys. The rules of DTOs are created while modules load, and `documentScopes` fills this in when an
 * application is built and its scopes are known.
 */
export const KEY_SCOPES: { all: string[]; limit: [number] } = { all: [], limit: [0] };
