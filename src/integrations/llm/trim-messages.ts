/** Cuts a prompt to the newest turns that fit; for callers that build a prompt of their own. */
export { trimMessages } from './generation/adapted-request';
