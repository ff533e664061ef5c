import './styles/base.css';
import './styles/parts.css';
import './styles/form.css';
import './styles/overlay.css';
import './styles/layout.css';
import './styles/table.css';
import './theme';
import { render } from 'preact';
import { Router } from 'wouter-preact';
import { App, preloadPage } from './app';
import { loadTexts, texts } from './languages';
import { keepFocus } from './parts/focus';
import { Failed } from './parts/states';
import { BASE, beginSession } from './session';

async function start(): Promise<void> {
  keepFocus();
  preloadPage();
  const beginning = beginSession().catch((error: unknown) => ({ error }));
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
}

void start();
