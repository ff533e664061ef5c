/** What the demo provider says, by language; it names pages of the console. `{message}` stands for the beginning of the message. */
const REPLIES = new Map([
  [
    'en',
    'This is a demo reply: no language model was asked. You wrote: “{message}”. For real answers, an administrator adds a ' +
      'model provider in the console (“Administration” → “Providers”) and makes it the default one. Nothing has to be restarted.',
  ],
  [
    'zh',
    '这是演示回复：没有询问任何语言模型。您写道：“{message}”。 ' +
      '要获得真正的回答， 请管理员在控制台（“管理” → “模型提供商”）中添加模型提供商， 并将其设为默认。 无需重启服务。',
  ],
  [
    'es',
    'Esta es una respuesta de demostración: no se ha preguntado a ningún modelo de lenguaje. Ha escrito: «{message}». ' +
      'Para obtener respuestas reales, un administrador añade un proveedor de modelos en la consola («Administración» → ' +
      '«Proveedores») y lo establece como predeterminado. No hace falta reiniciar nada.',
  ],
  [
    'fr',
    'Ceci est une réponse de démonstration : aucun modèle de langage n’a été interrogé. Vous avez écrit : « {message} ». ' +
      'Pour de vraies réponses, un administrateur ajoute un fournisseur de modèles dans la console (« Administration » → ' +
      '« Fournisseurs ») et en fait le fournisseur par défaut. Rien ne doit être redémarré.',
  ],
  [
    'de',
    'Dies ist eine Demo-Antwort: Es wurde kein Sprachmodell gefragt. Sie schrieben: „{message}“. Für echte Antworten fügt ein ' +
      'Administrator in der Konsole („Verwaltung“ → „Anbieter“) einen Modellanbieter hinzu und macht ihn zum Standard. Nichts ' +
      'muss neu gestartet werden.',
  ],
  [
    'ja',
    'これはデモの返信です。 言語モデルには問い合わせていません。 あなたのメッセージ：「{message}」。 ' +
      '実際の回答を得るには、 管理者がコンソール（「管理」 → 「プロバイダー」）でモデルのプロバイダーを追加し、 既定にします。 再起動は不要です。',
  ],
]);

const FALLBACK_LANGUAGE = 'en';
const LONGEST_QUOTE = 200;

/** The reply to `message` in `language` (a code such as `de` or `de-AT`), in English where there is no translation. */
export function demoReply(message: string, language: string | undefined): string {
  const primaryLanguage = (language ?? FALLBACK_LANGUAGE).split('-', 1)[0]?.toLowerCase() ?? FALLBACK_LANGUAGE;
  const characters = [...message.trim()];
  const quote = characters.slice(0, LONGEST_QUOTE).join('') + (characters.length > LONGEST_QUOTE ? '…' : '');
  const template = REPLIES.get(primaryLanguage) ?? REPLIES.get(FALLBACK_LANGUAGE) ?? '';
  // A function, because `$&` in a replacement string has a special meaning.
  return template.replace('{message}', () => quote);
}
