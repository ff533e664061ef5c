import '../../../styles/parts/table.css';
import type { ComponentChild, ComponentChildren, JSX } from 'preact';
import { texts } from '../../../app/i18n/languages';
import { CodeBlock } from './code-block';
import { Formula } from './extras/formula';
import { Footnote, FootnoteReference } from './footnote';
import { Marked } from './marked';
import { MARK_START, withoutMarks } from './marks';
import { ImageLink, TextLink } from './text-link';
import type { MarkdownNode } from './tree';

const t = texts('chat');

type Of<Type extends string> = Extract<MarkdownNode, { type: Type }>;

export function drawNodes(nodes: MarkdownNode[]): ComponentChildren {
  return nodes.map(draw);
}

function draw(node: MarkdownNode): ComponentChild {
  if (typeof node === 'string') return node.includes(MARK_START) ? <Marked text={node} /> : node;
  switch (node.type) {
    case 'element':
      return <node.tag>{drawNodes(node.children)}</node.tag>;
    case 'break':
      return <br />;
    case 'rule':
      return <hr />;
    case 'list':
      return drawList(node);
    case 'checkbox':
      return <span class={`task ${node.isChecked ? 'done' : ''}`}>{node.isChecked ? '☑' : '☐'} </span>;
    case 'link':
      return (
        <TextLink link={node.link} showsAddress={node.showsAddress}>
          {drawNodes(node.children)}
        </TextLink>
      );
    case 'image':
      return <ImageLink link={node.link} alt={withoutMarks(node.alt)} />;
    case 'code-block':
      return <CodeBlock language={node.language} text={withoutMarks(node.text)} />;
    case 'formula':
      return <Formula tex={node.tex && withoutMarks(node.tex)} raw={withoutMarks(node.text)} isBlock={node.isBlock} />;
    case 'footnote-reference':
      return <FootnoteReference label={node.label} text={node.text} />;
    case 'footnote':
      return <Footnote label={node.label}>{drawNodes(node.children)}</Footnote>;
    case 'table':
      return drawTable(node);
  }
}

function drawList({ start, items }: Of<'list'>): JSX.Element {
  const drawn = items.map((item, index) => (
    <li key={index} dir="auto" class={isTask(item) ? 'task-item' : ''}>
      {drawNodes(item)}
    </li>
  ));
  return start === null ? <ul>{drawn}</ul> : <ol start={start}>{drawn}</ol>;
}

function isTask([first]: MarkdownNode[]): boolean {
  return typeof first === 'object' && first.type === 'checkbox';
}

function drawTable({ align, header, rows }: Of<'table'>): JSX.Element {
  const aligned = (index: number): string => `align-${align[index] ?? 'start'}`;
  return (
    <div class="table-scroll" tabIndex={0} role="group" aria-label={t('table')}>
      <table>
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index} scope="col" class={aligned(index)} dir="auto">
                {drawNodes(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {row.map((cell, index) => (
                <td key={index} class={aligned(index)} dir="auto">
                  {drawNodes(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
