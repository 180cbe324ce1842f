/**
 * Prunes what stands around and within the text of news, posts and other prose: labels, teasers, lists of links,
 * comments, credits, notices of the site. Decides by the density of text and links per block; words only for what looks
 * like text.
 */

import { textWidth } from '../../src-server/platform/text/text-width.ts';
import type { Block } from '../documents/blocks.ts';
import { isPageTitle, isSentence, linkBlockShare, linkShare, PROSE_CHARS, proseChars } from './block-evidence.ts';

/** A paragraph with more of its text in links leads to another page; what is before the link names the relation. */
export const LEADS_AWAY_SHARE = 0.6;

/** An entry of a list with more of its text in links names another page. */
const LINK_ENTRY_SHARE = 0.8;

/** Fewer entries in a row may be sources of the text. */
const MIN_LINK_LIST = 3;

/** The text before the title is none of the article if what follows has this many times its prose. */
const AFTER_TITLE = 4;

/** A section that leads to other texts has at least this share of its text in blocks with links. */
const LINKED_SECTION_SHARE = 0.4;

/** Share of the text of such a block that is in links. */
const LINKED_SHARE = 0.3;

/** A section with less prose is teasers. */
const MAX_TEASER_CHARS = 300;

/** A longer paragraph before such a section is a sentence. */
const MAX_LEAD_CHARS = 40;

const MAX_CREDIT_CHARS = 100;

const MAX_NOTICE_CHARS = 300;

/** Notices of the site after the last paragraph. */
const MAX_NOTICES = 5;

/** The maker of a picture, without a word about it. */
const CREDIT = new RegExp(
  String.raw`^[\s(\[]*(?:©|(?:Fotos?|Photos?|Bild(?:er)?|Image|Picture|Quelle|Credits?|Crédits?|Fot\.|Zdjęcie|Grafik|` +
    String.raw`Illustration|Photograph)\s*(?:by\b|:|©|\/)|` +
    String.raw`(?:Getty|iStock|Unsplash|Shutterstock|Imago|dpa|AFP|Reuters)\b)`,
  'i',
);

/** Headings of comments, after a number or a sign. */
const COMMENTS = new RegExp(
  String.raw`^[^\p{L}]*(?:kommentare?|comments?|commentaires?|comentarios?|comentários?|commenti|reacties|` +
    String.raw`komentarze?|комментари[ий]|评论|コメント|댓글|leave a (?:comment|reply)|` +
    String.raw`(?:schreibe? )?(?:einen )?kommentar \p{L}+|` +
    String.raw`laisser? un commentaire|deja (?:un comentario|una respuesta)|responses?|replies)(?!\p{L})`,
  'iu',
);

/** Sentences of a site about itself: its channels, its rights, the place of a post. */
const NOTICE = new RegExp(
  [
    '©|all rights reserved|alle rechte vorbehalten|tous droits réservés|todos los derechos|newsletter|telegram',
    'whatsapp|instagram|youtube|follow .{0,30}(?:on|us)\\b|subscri(?:be|ption)|abonnier|abonnez|suscr[ií]b|assine',
    'subskrypcj',
    'folge(?:n|t)? (?:uns|sie|mir)|síguenos|suivez|entry was posted|was posted (?:in|on|by)|filed under|permalink',
    'beitrag wurde|abgelegt unter|erstellt am|veröffentlicht (?:am|in|unter)|akismet|trackback|bloggern gefällt',
    'meinung des autors|opinions expressed|views expressed|not responsible|suggested citation',
    'ctrl\\s?\\+\\s?enter|会員限定|登録すると|support(?:ing)?\\b.{0,30}(?:our|us)\\b|unterstütz.{0,30}(?:unsere?|uns)\\b',
    '\\bapp\\b.*(?:ios|android)|kommentar(?:e|ieren)?\\b.{0,30}(?:anmelden|schreiben|hinterlassen)',
  ].join('|'),
  'i',
);

/** Headings of what leads to other texts of the site. */
const RELATED = new RegExp(
  String.raw`^[^\p{L}]*(?:${[
    'mehr (?:zum?|zur|über|aus|von) |mehr (?:artikel|themen|news)|weitere (?:informationen|artikel|beiträge|themen)',
    'weitere (?:meldungen|nachrichten|pressemitteilungen|links)|weiterführende|zum weiterlesen|auch interessant',
    'das könnte (?:dich|sie|euch)|schon gelesen|lesen sie auch|lies auch|ähnliche|passend(?:e|es)? (?:zum|dazu)',
    'verwandte|entdecke|you (?:might|may) (?:also|like)|related|read (?:more|next|also)|further reading|recommended',
    'more (?:from|on|stories|news|like)|what to read|see also|(?:à )?lire aussi|à lire|sur le même|voir aussi',
    'te puede|también te|lea también|más (?:noticias|sobre|en)|leia (?:também|mais)|veja também|leggi anche',
    '(?:zobacz|czytaj) (?:też|także|również)',
  ].join('|')})`,
  'iu',
);

/** Not the sign of a button. */
const SAYS_SOMETHING = /[\p{L}\p{N}*_~.$=+<>-]/u;

/** Words of the page for its reader, in paragraphs of their own. */
const LABEL = new RegExp(
  String.raw`^[\W_]*(?:${[
    'advertisements?|anzeigen?|werbung|publicidad|publicité|reklama|externe(?:r|n)? inhalte?|external content',
    String.raw`(?:bild|foto|galerie) (?:anzeigen|schließen|vergrößern|öffnen)(?: bild schließen)?|vergrößern|drucken`,
    String.raw`weiterlesen(?: \d+ minuten)?|lade weitere.{0,30}|load more|show more|mehr (?:anzeigen|laden|lesen)`,
    '(?:(?:diesen )?(?:artikel|beitrag)|news|seite) (?:teilen|drucken|merken)|share(?: this.{0,20})?|print|e-?mail',
    String.raw`tweet|permalien\b.{0,60}|letzte (?:änderung|aktualisierung)\b.{0,30}|(?:last )?updated\b.{0,30}`,
    'quellen (?:ein|aus)blenden|zurück(?: zur übersicht)?|nach oben|back to top',
  ].join('|')})[\W_]*$`,
  'i',
);

/** The text of prose, with its headings, lists, tables and captions. */
export function pruneProse(blocks: readonly Block[], title: string): Block[] {
  const text = withoutCredits(withoutLinkSections(withoutRelated(withoutComments(blocks), title), title));
  return withoutNotices(withoutLabels(fromTitle(text, title), title), title);
}

/** Comments end the text, unless a heading above theirs follows. */
function withoutComments(blocks: readonly Block[]): Block[] {
  const kept: Block[] = [];
  const first = blocks.findIndex((block) => isSentence(block) && textWidth(textOf(block)) >= PROSE_CHARS);
  let hidden = 0;
  for (const [at, block] of blocks.entries()) {
    if (block.kind === 'heading') {
      if (hidden > 0 && block.level < hidden) hidden = 0;
      const isOfComments = at > first && textWidth(block.text) < PROSE_CHARS && COMMENTS.test(block.text);
      if (hidden === 0 && isOfComments) hidden = block.level;
    }
    if (hidden === 0) kept.push(block);
  }
  return kept;
}

/** Without sections of teasers or links to other texts, captions that were there, and labels of the page's controls. */
function withoutRelated(blocks: readonly Block[], title: string): Block[] {
  const first = blocks.findIndex((block) => isSentence(block) && textWidth(textOf(block)) >= PROSE_CHARS);
  const captions = new Set<string>();
  const kept: Block[] = [];
  for (let at = 0; at < blocks.length; at += 1) {
    const block = blocks[at];
    if (block === undefined) break;
    if (block.kind === 'caption') {
      // One picture in several sizes has its caption with each.
      if (captions.has(block.text)) continue;
      captions.add(block.text);
    }
    if (block.kind === 'paragraph' || block.kind === 'list-item') {
      if (!SAYS_SOMETHING.test(block.text)) continue;
      if (textWidth(block.text) < PROSE_CHARS && LABEL.test(block.text)) continue;
    }
    const end = at > first && first >= 0 ? endOfRelated(blocks, at, title) : at;
    if (end > at) at = end - 1;
    else kept.push(block);
  }
  return kept;
}

/** Where the section ends that a block leads in, if it leads to other texts; else the block's place. */
function endOfRelated(blocks: readonly Block[], at: number, title: string): number {
  const block = blocks[at];
  if (block?.kind !== 'heading' && block?.kind !== 'paragraph') return at;
  const isShort = textWidth(block.text) < (block.kind === 'heading' ? PROSE_CHARS : MAX_LEAD_CHARS);
  if (!isShort || !RELATED.test(block.text) || isPageTitle(block, title)) return at;
  const isEnd = (next: Block) => next.kind === 'heading' && (block.kind === 'paragraph' || next.level <= block.level);
  const length = blocks.slice(at + 1).findIndex(isEnd);
  const end = length === -1 ? blocks.length : at + 1 + length;
  const section = blocks.slice(at + 1, end);
  const isLinks = linkBlockShare(section, LINKED_SHARE) > LINKED_SECTION_SHARE;
  return isLinks || (block.kind === 'heading' && proseChars(section) < MAX_TEASER_CHARS) ? end : at;
}

/** Headings with nothing below them but links, and long lists of links. */
function withoutLinkSections(blocks: readonly Block[], title: string): Block[] {
  const kept: Block[] = [];
  for (let at = 0; at < blocks.length; ) {
    const block = blocks[at];
    if (block === undefined) break;
    const isLead = block.kind === 'heading' || isShortLead(block);
    const end = endOfLinks(blocks, isLead ? at + 1 : at, isLead ? LEADS_AWAY_SHARE : LINK_ENTRY_SHARE, isLead);
    const isLinks = isLead ? end > at + 1 && !isPageTitle(block, title) : end - at >= MIN_LINK_LIST;
    if (!isLinks) kept.push(block);
    at = isLinks ? end : at + 1;
  }
  return kept;
}

function endOfLinks(blocks: readonly Block[], start: number, share: number, isAny: boolean): number {
  let end = start;
  for (; end < blocks.length; end += 1) {
    const block = blocks[end];
    if (block === undefined || block.kind === 'heading' || linkShare(block) <= share) break;
    if (!isAny && block.kind !== 'list-item') break;
  }
  return end;
}

function isShortLead(block: Block): boolean {
  return block.kind === 'paragraph' && textWidth(block.text) < PROSE_CHARS && /[:：]\s*$/.test(block.text);
}

function withoutCredits(blocks: readonly Block[]): Block[] {
  return blocks.filter((block) => {
    if (block.kind !== 'caption' && block.kind !== 'paragraph') return true;
    return textWidth(block.text) > MAX_CREDIT_CHARS || !CREDIT.test(block.text);
  });
}

function fromTitle(blocks: readonly Block[], title: string): readonly Block[] {
  const at = blocks.findIndex((block) => block.kind === 'heading' && block.level <= 2 && isPageTitle(block, title));
  if (at <= 0) return blocks;
  const isBefore = proseChars(blocks.slice(0, at)) * AFTER_TITLE < proseChars(blocks.slice(at));
  return isBefore ? blocks.slice(at) : blocks;
}

/** Without dates, bylines and labels before the prose, labels after it, and what only leads to another page. */
function withoutLabels(blocks: readonly Block[], title: string): Block[] {
  const first = blocks.findIndex(isSentence);
  if (first === -1) return [...blocks];
  const last = blocks.findLastIndex(
    (block) => isSentence(block) || (block.kind === 'list-item' && linkShare(block) < LEADS_AWAY_SHARE),
  );
  return blocks.filter((block, at) => {
    if (block.kind === 'table' || block.kind === 'caption') return true;
    const leadsAway = linkShare(block) > LEADS_AWAY_SHARE;
    if (block.kind === 'paragraph' && leadsAway) return false;
    if (block.kind === 'heading' && leadsAway && at > first && !isPageTitle(block, title)) return false;
    return at < first ? block.kind === 'heading' : at <= last;
  });
}

function withoutNotices(blocks: Block[], title: string): Block[] {
  let end = blocks.length;
  while (end > Math.max(2, blocks.length - MAX_NOTICES) && isNotice(blocks[end - 1])) end -= 1;
  return end === blocks.length ? blocks : withoutLabels(blocks.slice(0, end), title);
}

function isNotice(block: Block | undefined): boolean {
  if (block?.kind !== 'paragraph' && block?.kind !== 'list-item' && block?.kind !== 'heading') return false;
  return textWidth(block.text) < MAX_NOTICE_CHARS && NOTICE.test(block.text);
}

function textOf(block: Block): string {
  return block.kind === 'table' ? '' : block.text;
}
