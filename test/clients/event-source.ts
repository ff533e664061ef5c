/** `EventSource` as browsers have it. Import it from here, because it is installed in this folder only. */
export { EventSource } from 'eventsource';
