import { createChatClient } from 'chat-service-client';

// `?service=` sets another address. The default is a service on this machine.
const baseUrl = new URLSearchParams(location.search).get('service') ?? 'http://127.0.0.1:3000';

export const client = createChatClient({ baseUrl, session: 'storage' });
