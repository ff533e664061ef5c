/** Image types that browsers show and models accept. Other types are sent as files. */
export const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
