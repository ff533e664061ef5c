/** Path prefix of the current version of the API (specification §9). */
export const API_PREFIX = 'api/v1';
