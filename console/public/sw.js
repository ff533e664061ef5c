// Shows a page instead of the browser's error when the service cannot be reached. It stores nothing else.
const CACHE = 'console-offline-1';
const PAGE = '/console/offline.html';
const FILES = [PAGE, '/console/offline.css', '/console/offline.js'];

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)));
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.mode === 'navigate') event.respondWith(fetch(request).catch(() => caches.match(PAGE)));
  else if (FILES.includes(new URL(request.url).pathname)) {
    event.respondWith(fetch(request).catch(() => caches.match(request)));
  }
});
