import { looksSecret } from './secret-fields';

describe('a field of a form', () => {
  it.each([
    ['password'],
    ['userPassword'],
    ['new_pass-word'],
    ['API Key'],
    ['apikey'],
    ['accessToken'],
    ['Tokens'],
    ['Card number'],
    ['PIN'],
    ['Contraseña'],
    ['ｐａｓｓｗｏｒｄ'],
    ['Mot de passe'],
    ['パスワード'],
    ['密码'],
  ])('that is called %s asks for a secret', (name) => {
    expect(looksSecret(name)).toBe(true);
  });

  it.each([['city'], ['shipping'], ['discarded'], ['monkey'], ['opinion'], ['Keyboard'], [undefined]])(
    'that is called %s does not',
    (name) => {
      expect(looksSecret(name)).toBe(false);
    },
  );
});
