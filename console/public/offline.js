// The texts of the offline page, in the language that the user has chosen in the console, or that of the browser.
const TEXTS = {
  de: [
    'Sie sind offline',
    'Der Dienst ist nicht erreichbar. Die Seite macht weiter, sobald Sie wieder verbunden sind.',
    'Erneut versuchen',
  ],
  es: [
    'Estás sin conexión',
    'No se puede acceder al servicio. La página continúa cuando te vuelvas a conectar.',
    'Reintentar',
  ],
  fr: [
    'Vous êtes hors ligne',
    'Le service est injoignable. La page reprend dès que vous êtes reconnecté.',
    'Réessayer',
  ],
  ja: ['オフラインです', 'サービスに接続できません。再接続するとページが続行されます。', '再試行'],
  zh: ['您已离线', '无法连接服务。重新连接后页面会继续。', '重试'],
};

const chosen = localStorage.getItem('console-language') ?? navigator.language;
const language = chosen.slice(0, 2);
const texts = TEXTS[language];
if (texts) {
  document.documentElement.lang = language;
  document.title = texts[0];
  ['h1', 'p', 'button'].forEach((name, index) => {
    document.querySelector(name).textContent = texts[index];
  });
}
document.querySelector('button').addEventListener('click', () => location.reload());
addEventListener('online', () => location.reload());
// The browser may be online while the service is not.
setInterval(() => {
  fetch('/health/live').then(
    ({ ok }) => ok && location.reload(),
    () => undefined,
  );
}, 5_000);
