import { useState } from 'react';
import { client } from './client.js';

export function SignIn() {
  const [failure, setFailure] = useState();
  const signIn = (event) => {
    event.preventDefault();
    client.session.logIn(Object.fromEntries(new FormData(event.target))).catch(setFailure);
  };
  return (
    <form onSubmit={signIn}>
      <label>
        E-mail <input name="email" type="email" autoComplete="username" required />
      </label>
      <label>
        Password <input name="password" type="password" autoComplete="current-password" required />
      </label>
      <button>Sign in</button>
      {failure && <p role="alert">{failure.message}</p>}
    </form>
  );
}
