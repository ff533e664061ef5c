/** The prefix of the routes for directories: the base URL that an administrator enters there. */
export const SCIM_PREFIX = 'scim/v2';
