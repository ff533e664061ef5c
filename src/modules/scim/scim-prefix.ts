/** Where the routes of directories begin: the base URL that an administrator enters there. */
export const SCIM_PREFIX = 'scim/v2';
