import type { ParagraphFact } from '../marks.ts';
import type { XmlElement } from '../xml.ts';
import type { StoryContext } from './docx-story.ts';

const MAX_LIST_DEPTH = 8;
const MAX_HEADING_LEVEL = 9;

/** What `w:pPr` says about a paragraph, read element by element. */
export class ParagraphProperties {
  isMarkDeleted = false;
  isMarkInserted = false;
  startsPage = false;
  /** The paragraph is the large first letter of the next one. */
  isDropCap = false;
  /** The paragraph ends a section, and the next one begins on a new page. */
  endsPage = false;
  private styleId: string | null = null;
  private numId: string | null = null;
  private listLevel: number | null = null;
  private outlineLevel: number | null = null;
  private isInMark = false;
  private author: { author: string | null; date: string | null } = { author: null, date: null };

  /** Who deleted or inserted the paragraph's mark. */
  get markAuthor(): { author: string | null; date: string | null } {
    return this.author;
  }

  /** Reads one element inside; gives what to do at its end. */
  read(element: XmlElement): { close?(): void } {
    const value = element.attribute('val');
    switch (element.local) {
      case 'pStyle':
        this.styleId = value ?? null;
        break;
      case 'numId':
        this.numId = value ?? null;
        break;
      case 'ilvl':
        this.listLevel = Number(value);
        break;
      case 'outlineLvl':
        this.outlineLevel = Number(value);
        break;
      case 'pageBreakBefore':
        this.startsPage = value === undefined || value === '1' || value === 'true' || value === 'on';
        break;
      case 'framePr':
        this.isDropCap = ['drop', 'margin'].includes(element.attribute('dropCap') ?? '');
        break;
      case 'sectPr':
        this.endsPage = true;
        break;
      case 'type':
        if (value === 'continuous' || value === 'nextColumn') this.endsPage = false;
        break;
      case 'rPr':
        this.isInMark = true;
        return {
          close: () => {
            this.isInMark = false;
          },
        };
      case 'del':
      case 'moveFrom':
        this.noteMark(element, 'deleted');
        break;
      case 'ins':
      case 'moveTo':
        this.noteMark(element, 'inserted');
        break;
    }
    return {};
  }

  /**
   * What the paragraph is. Counts it where it belongs to a numbered list, so ask once. One whose mark was deleted is
   * part of the next, which is counted: where changes are accepted, a list has no number for it.
   */
  fact({ styles, lists, reading }: StoryContext): ParagraphFact | null {
    const style = styles.of(this.styleId);
    const numId = this.numId ?? style.numId;
    const level = this.listLevel ?? style.listLevel ?? 0;
    const isCounted = numId !== null && numId !== '0' && !(this.isMarkDeleted && reading === 'accepted');
    const marker = isCounted ? lists.next(numId, level) : null;
    const ownLevel = this.outlineLevel === null ? 0 : this.outlineLevel + 1;
    const headingLevel = style.role === 'heading' ? style.level : ownLevel;
    if (headingLevel >= 1 && headingLevel <= MAX_HEADING_LEVEL) {
      return { kind: 'heading', level: headingLevel, marker: marker ?? '' };
    }
    if (style.role === 'caption') return { kind: 'caption' };
    if (style.role === 'code') return { kind: 'code' };
    if (marker === null) return null;
    return { kind: 'list-item', depth: Math.max(0, Math.min(MAX_LIST_DEPTH, level)), marker };
  }

  private noteMark(element: XmlElement, fate: 'deleted' | 'inserted'): void {
    // Outside `w:rPr` such an element tells of the numbering or of the section, not of the paragraph's mark.
    if (!this.isInMark) return;
    this.isMarkDeleted ||= fate === 'deleted';
    this.isMarkInserted ||= fate === 'inserted';
    this.author = { author: element.attribute('author') ?? null, date: element.attribute('date') ?? null };
  }
}
