import './design/tokens.css';
import './styles/base.css';
import './styles/components.css';
import './styles/form.css';
import './styles/overlay.css';
import './styles/layout.css';
import './app/theme';
import { render } from 'preact';
import { Router } from 'wouter-preact';
import { branding } from './app/branding';
import { loadTexts, texts } from './app/i18n/languages';
import { keepFocus } from './app/keep-focus';
import { App, preloadPage } from './app/router/app';
import { BASE, beginSession } from './app/session';
import { Failed } from './components/states';

async function start(): Promise<void> {
  keepFocus();
  preloadPage();
  const beginning = beginSession().catch((error: unknown) => ({ error }));
  // Later visits start with cached branding. A first visit must wait for it.
  if (branding.peek() === null) await beginning;
  await loadTexts('shell');
  const failure = await beginning;
  if (failure) {
    const { error } = failure;
    render(
      <main>
        <h1 class="visually-hidden">{texts('shell')('product')}</h1>
        <Failed error={error} retry={() => location.reload()} />
      </main>,
      document.body,
    );
    return;
  }
  render(
    <Router base={BASE}>
      <App />
    </Router>,
    document.body,
  );
  // For the offline page. Without it, the browser shows its own.
  if (import.meta.env.PROD && 'serviceWorker' in navigator) {
    void navigator.serviceWorker.register('/console/sw.js').catch(() => undefined);
  }
}

void start();
