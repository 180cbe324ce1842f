/**
 * Pages that React sends in parts: a part that is ready late stands hidden at the end, and a script moves it to its
 * place. Threat: many parts, each of which costs a pass over the page; they are bounded.
 */

import { MIB } from '../../src-server/platform/units.ts';

const MAX_PARTS = 50;

const MAX_CHARS = 4 * MIB;

const MOVE = /\$R(?:C\("(B:[0-9a-f]+)","(S:[0-9a-f]+)"|S\("(S:[0-9a-f]+)","(P:[0-9a-f]+)")/g;

/** Places of parts, in pages that were saved without their scripts: a place and its part mostly have one number. */
const PLACE = /<template id="([BP]:([0-9a-f]+))"><\/template>/g;

/** The page with its late parts in their places, in place of what stands there until they come. */
export function withStreamedParts(html: string): string {
  if (!html.includes('<template id="B:') || html.length > MAX_CHARS) return html;
  const stated = Array.from(html.matchAll(MOVE), ([, place, part, ofSegment = '', segment = '']) => ({
    place: place ?? segment,
    part: part ?? ofSegment,
  }));
  const places = Array.from(html.matchAll(PLACE), ([, place = '', number = '']) => ({ place, part: `S:${number}` }));
  const moves = stated.length > 0 ? stated : places;
  return moves.slice(0, MAX_PARTS).reduce((page, { place, part }) => movePart(page, place, part), html);
}

function movePart(html: string, place: string, part: string): string {
  const open = new RegExp(`<div hidden(?:="")? id="${part}">`).exec(html);
  const target = new RegExp(`<template id="${place}"></template>`).exec(html);
  if (open === null || target === null) return html;
  const start = open.index + open[0].length;
  const end = endOfElement(html, start);
  if (end === null || (target.index >= open.index && target.index < end)) return html;
  const content = html.slice(start, end);
  const afterPart = end + '</div>'.length;
  const after = target.index + target[0].length;
  const targetEnd = place.startsWith('P') ? after : endOfPlaceholder(html, after);
  if (target.index < open.index) {
    if (targetEnd > open.index) return html;
    return html.slice(0, target.index) + content + html.slice(targetEnd, open.index) + html.slice(afterPart);
  }
  return html.slice(0, open.index) + html.slice(afterPart, target.index) + content + html.slice(targetEnd);
}

/** Where the `div` that is open at `start` ends; null if it does not. */
function endOfElement(html: string, start: number): number | null {
  const tags = /<(script|style|textarea)\b[\s\S]*?(?:<\/\1|$)|<!--[\s\S]*?(?:-->|$)|<div\b|<\/div>/gi;
  tags.lastIndex = start;
  let depth = 1;
  for (let tag = tags.exec(html); tag !== null; tag = tags.exec(html)) {
    if (/^<div/i.test(tag[0])) depth += 1;
    else if (/^<\/div/i.test(tag[0])) depth -= 1;
    if (depth === 0) return tag.index;
  }
  return null;
}

/** What stands in the place ends at the comment that closes it; those inside it nest. */
function endOfPlaceholder(html: string, start: number): number {
  const marks = /<!--(\/?)\$[?!~]?-->/g;
  marks.lastIndex = start;
  let depth = 1;
  for (let mark = marks.exec(html); mark !== null; mark = marks.exec(html)) {
    depth += mark[1] === '/' ? -1 : 1;
    if (depth === 0) return mark.index;
  }
  return start;
}
