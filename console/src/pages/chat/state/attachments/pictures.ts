/** Kinds of pictures that browsers show and models look at. Others are files. */
export const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
