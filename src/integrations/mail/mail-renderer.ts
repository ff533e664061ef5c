import { readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { Injectable } from '@nestjs/common';
import type Handlebars from 'handlebars';
import { Features } from '../../common/features/features';
import type { Language } from '../../common/i18n/language';
import { sentences, translate } from '../../common/i18n/translator';
import { loadHandlebars } from '../../common/load-package';
import type { MailMessage } from './mail-transport';
import type { Mailbox } from './mailbox';

const TEMPLATES = join(__dirname, 'templates');

/** The parts of a mail. */
export interface MailContent {
  kind: string;
  recipient: string;
  language: Language;
  values: Record<string, unknown>;
  messageId: string;
}

type Templates = Map<string, Handlebars.TemplateDelegate>;

/** Templates with their names. */
type Sources = [name: string, source: string][];

/**
 * Renders a kind and its values as a mail in the recipient's language. One template per kind is compiled twice, with
 * the building blocks of HTML and with those of plain text, so that both parts have the same text.
 */
@Injectable()
export class MailRenderer {
  private readonly sources: Record<'html' | 'text' | 'mails', Sources>;
  /** Compiled for the first mail, because Handlebars loads slowly. */
  private templates: Record<'html' | 'text', Templates> | undefined;

  /** @throws FeatureError if two modules define a kind of mail */
  constructor(features: Features) {
    const mails = features.unique('mails', 'mail', ({ kind }) => kind);
    this.sources = {
      html: readBlocks('html'),
      text: readBlocks('text'),
      mails: mails.map(({ kind, template }): Sources[number] => [kind, readFileSync(template, 'utf8')]),
    };
  }

  render({ kind, recipient, language, values, messageId }: MailContent, from: Mailbox): MailMessage {
    const { html: htmlBlocks, text: textBlocks, mails } = this.sources;
    this.templates ??= { html: compile(mails, htmlBlocks, false), text: compile(mails, textBlocks, true) };
    const html = this.templates.html.get(kind);
    const text = this.templates.text.get(kind);
    if (!html || !text) {
      throw new Error(`no module defines the mail ${kind}`);
    }
    const product = from.name;
    const allValues = { ...values, product };
    const words = translateGroup(language, kind, allValues);
    const context = {
      ...allValues,
      language,
      initial: [...product][0]?.toUpperCase(),
      words,
      common: translateGroup(language, 'common', allValues),
    };
    return {
      messageId,
      from,
      to: recipient,
      language,
      // People choose the values. A line break in a subject would start another header.
      subject: (words.subject ?? '').replace(/\p{Cc}+/gu, ' '),
      html: html(context),
      text: withoutSurplusLines(text(context)),
    };
  }
}

function translateGroup(language: Language, group: string, values: Record<string, unknown>): Record<string, string> {
  const keys = Object.keys(sentences().en.mails[group] ?? {});
  return Object.fromEntries(keys.map((key) => [key, translate(language, `mails.${group}.${key}`, values)]));
}

function compile(mails: Sources, blocks: Sources, noEscape: boolean): Templates {
  const handlebars = loadHandlebars().create();
  // Strict: a template that names a missing value fails, instead of leaving a gap in the mail.
  const options: CompileOptions = { noEscape, strict: true, preventIndent: true };
  for (const [name, source] of blocks) {
    handlebars.registerPartial(name, handlebars.compile(source, options));
  }
  return new Map(mails.map(([kind, source]) => [kind, handlebars.compile(source, options)]));
}

function readBlocks(format: 'html' | 'text'): Sources {
  const directory = join(TEMPLATES, format);
  return readdirSync(directory).map((file) => [parse(file).name, readFileSync(join(directory, file), 'utf8')]);
}

function withoutSurplusLines(text: string): string {
  return `${text.replace(/\n{3,}/g, '\n\n').trim()}\n`;
}
