import './styles/base.css';
import './styles/parts.css';
import './styles/form.css';
import './styles/overlay.css';
import './styles/layout.css';
import './styles/table.css';
import './theme';
import { render } from 'preact';
import { Router } from 'wouter-preact';
import { App } from './app';
import { loadTexts, texts } from './languages';
import { keepFocus } from './parts/focus';
import { Failed } from './parts/states';
import { beginSession } from './session';

async function start(): Promise<void> {
  keepFocus();
  await loadTexts('shell');
  try {
    await beginSession();
  } catch (error) {
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
    <Router base="/console">
      <App />
    </Router>,
    document.body,
  );
}

void start();
