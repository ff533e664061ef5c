/** `EventSource` as browsers have it: from here, since it is installed in this folder only. */
export { EventSource } from 'eventsource';
