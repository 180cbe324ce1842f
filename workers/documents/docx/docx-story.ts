import type { DocumentChange } from '../../tasks.ts';
import type { XmlBudget } from '../xml.ts';
import type { ListCounter } from './numbering.ts';
import type { Relationship } from './relationships.ts';
import type { Styles } from './styles.ts';

export interface CommentText {
  author: string | null;
  date: string | null;
  text: string;
}

/** A footnote or endnote the text refers to. */
export interface NoteReference {
  type: 'footnote' | 'endnote';
  id: string;
  marker: string;
  page: number;
}

/** What rewriting a story part needs to know, and what it finds out on the way. */
export interface StoryContext {
  budget: XmlBudget;
  styles: Styles;
  lists: ListCounter;
  relationships: ReadonlyMap<string, Relationship>;
  /** `marked` keeps deletions and comments, marked; `accepted` drops them. */
  reading: 'accepted' | 'marked';
  comments: ReadonlyMap<string, CommentText>;
  /** Word notes where pages began when it last laid the text out; only without those notes do explicit breaks count. */
  hasRenderedBreaks: boolean;

  /** Set when the part holds a tracked change of its text. */
  hasChanges: boolean;
  changes: DocumentChange[];
  /** Comment id → the text it is attached to. */
  anchors: Map<string, string>;
  /** By type and id, in the order of the first reference to each. */
  notes: Map<string, NoteReference>;
  /** Ids of the comments whose text stands in the document already. */
  shownComments: Set<string>;
  /** Addresses of the links, by the number their marks carry. */
  links: string[];
  /** Characters the addresses come to, since one address may serve many links. */
  linksLength: number;
  /** Relationship ids of the headers and footers that sections use, in order. */
  furniture: Set<string>;
  warnings: Set<string>;
}
