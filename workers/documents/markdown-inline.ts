import { Parser } from 'htmlparser2';
import type { Token, Tokens } from 'marked';

/** Marks within marks that are followed; what lies deeper stays as it was written. */
const MAX_DEPTH = 100;

/** The text of inline marks, and the alternative texts of the images among them. */
export interface InlineText {
  text: string;
  captions: string[];
}

/** Inline tokens as text: marks, tags and images go; a line end that is meant stays as `\v`, others become spaces. */
export function inlineText(tokens: readonly Token[]): InlineText {
  const captions: string[] = [];
  return { text: collect(tokens, captions, 0), captions };
}

function collect(tokens: readonly Token[], captions: string[], depth: number): string {
  return tokens.map((token) => textOf(token, captions, depth)).join('');
}

function textOf(token: Token, captions: string[], depth: number): string {
  switch (token.type) {
    case 'br':
      return '\v';
    case 'html':
      return /^<br\s*\/?>$/i.test(token.raw) ? '\v' : '';
    case 'image':
      captions.push((token as Tokens.Image).text);
      return '';
    case 'codespan':
    case 'escape':
      return (token as Tokens.Codespan).text.replaceAll('\n', ' ');
    case 'checkbox':
      // The item it belongs to says whether it is checked.
      return '';
    case 'link':
      // `[^1]` whose note is a single word comes as a link to that word.
      if (/^\[\^[^\]]+\]$/.test(token.raw)) return `[${token.raw.slice(2, -1)}]`;
      break;
    default:
  }
  const inner = 'tokens' in token ? token.tokens : undefined;
  if (inner !== undefined && inner.length > 0 && depth < MAX_DEPTH) return collect(inner, captions, depth + 1);
  const raw = 'text' in token ? String(token.text) : '';
  return decodeEntities(raw.replaceAll('\n', ' ').replace(/\[\^([^\]\s]+)\]/g, '[$1]'));
}

/** Character references as the characters they name. */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  const parts: string[] = [];
  const parser = new Parser({ ontext: (part) => void parts.push(part) }, { decodeEntities: true });
  parser.end(text.replaceAll('<', '&lt;'));
  return parts.join('');
}
