/**
 * What keys may do. The rules of DTOs are made while modules load, and `documentScopes` fills this in when an application is
 * built and the scopes of its modules are known.
 */
export const KEY_SCOPES: { all: string[]; limit: [number] } = { all: [], limit: [0] };
